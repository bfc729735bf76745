import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runMigrations } from '@supplier/lib/data/migrations';
import pg from 'pg';
import { localCertificates, partCertificates } from '../identity/certificates.ts';
import { makeDatabases } from './databases.ts';
import { withThrowawayPostgres } from './testing/throwaway-postgres.ts';

// A separate server is created and started.
jest.setTimeout(180_000);

const checkout = join(import.meta.dirname, '../../..');
const folder = mkdtempSync(join(tmpdir(), 'secure-postgres-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function ask(connectionString: string, statement = 'SELECT current_user AS role'): Promise<unknown> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query(statement)).rows[0];
  } finally {
    await client.end().catch(() => {});
  }
}

/** Returns the URL of another database for the same role. */
const at = (roleUrl = '', name: string) => Object.assign(new URL(roleUrl), { pathname: name }).href;

it('the PostgreSQL of the secure stack accepts only TLS, from clients that verify it, and isolates the services', async () => {
  const { postgres } = await partCertificates(folder);
  const { authority: another } = await localCertificates(folder);
  await withThrowawayPostgres(
    checkout,
    () => {},
    async (url) => {
      const services = ['account', 'billing'];
      const databases = await makeDatabases(url('postgres'), services, { runtimeRoles: true });
      expect(await makeDatabases(url('postgres'), services, { runtimeRoles: true })).toEqual(databases);
      const { account, billing } = databases;
      const ours = account?.runtimeUrl ?? '';
      expect(ours).toContain('sslmode=verify-full');
      // The owner isn't a superuser: the runtime role has only what the owner grants, and no other role may connect.
      await runMigrations({
        databaseUrl: account?.ownerUrl ?? '',
        serviceDir: new URL('../../../services/account/', import.meta.url),
        runtimeRole: account?.runtimeRole ?? '',
      });
      expect(await ask(ours)).toEqual({ role: 'account_runtime' });
      expect(await ask(account?.ownerUrl ?? '')).toEqual({ role: 'account' });
      const tls = 'SELECT ssl, version FROM pg_stat_ssl WHERE pid = pg_backend_pid()';
      expect(await ask(account?.ownerUrl ?? '', tls)).toEqual({
        ssl: true,
        version: expect.stringMatching(/TLS/),
      });

      const bare = Object.assign(new URL(ours), { search: '' }).href;
      await expect(ask(bare)).rejects.toThrow(/no encryption/);
      await expect(ask(`${bare}?sslmode=verify-full`)).rejects.toThrow(/certificate/);
      await expect(ask(ours.replace(/sslrootcert=.*/, `sslrootcert=${another}`))).rejects.toThrow(
        /certificate|signature/,
      );
      for (const name of ['account', 'postgres', 'template1'])
        for (const role of [billing?.runtimeUrl, billing?.ownerUrl])
          await expect(ask(at(role, name))).rejects.toMatchObject({ code: '42501' });
    },
    postgres,
  );
});
