import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { connectBus, NATS_USERS, permissionsOf } from '@supplier/lib/events/event-bus';
import { eventually, startTestProcess } from '@supplier/lib/testing';
import { isTested } from '@supplier/lib/testing/programs';
import pg from 'pg';
import { CONSOLE } from '../../charts/tests/examples.ts';
import { describeWithHelm } from '../../charts/tests/helm.ts';
import { startTestNatsServer } from '../local/nats/testing/test-server.ts';
import { withThrowawayPostgres } from '../local/postgres/testing/throwaway-postgres.ts';
import { findOnPath } from '../programs/on-path.mjs';
import { withCertificates } from './certificates.ts';
import { filesOf } from './files.ts';
import { completed, databasesOf, rolesOf } from './prepared.ts';
import { secretsOf } from './secrets.ts';

const CHECKOUT = resolve(import.meta.dirname, '../..');
const SERVER_MS = 120_000;
const prepared = completed({ release: 'leads', namespace: 'suppliers', sharedSessions: true });
const DATABASES = databasesOf(prepared);
/** Which process migrates a database that is not named after it, and from which variable. */
const MIGRATED: Readonly<Record<string, readonly [string, string]>> = {
  limits: ['gateway', 'SSS_LIMITS_DATABASE_URL'],
  sessions: ['console', 'SSS_SESSIONS_DATABASE_URL'],
};
const entries = (name: string) => secretsOf(prepared).find((secret) => secret.name === name)?.data ?? {};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'applied-'));
  for (const [name, text] of Object.entries(filesOf(prepared))) writeFileSync(join(folder, name), text);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const hasPsql = isTested('databases.sql', findOnPath('psql') !== undefined, ['postgresql-client']);
const describeWithPsql = hasPsql ? describe : describe.skip;

describeWithPsql('databases.sql', () => {
  it(
    'creates databases and roles as an administrator who is not a superuser, repeatably, so that only the product can migrate and open them',
    async () => {
      await withThrowawayPostgres(CHECKOUT, console.warn, async (urlOf) => {
        const superuser = new pg.Client(urlOf('postgres'));
        superuser.on('error', () => {});
        await superuser.connect();
        await superuser.query(`CREATE ROLE keeper LOGIN CREATEDB CREATEROLE PASSWORD 'keeper'`);
        const url = (database: string, user: string, password: string) =>
          Object.assign(new URL(urlOf(database)), { username: user, password }).href;
        const psql = () =>
          execFileSync(
            'psql',
            ['--quiet', '--file', join(folder, 'databases.sql'), url('postgres', 'keeper', 'keeper')],
            {
              stdio: ['ignore', 'ignore', 'pipe'],
            },
          );
        // As at a provider: the administrator owns what everyone may connect to by default.
        await superuser.query(
          'ALTER DATABASE postgres OWNER TO keeper; ALTER DATABASE template1 OWNER TO keeper',
        );
        psql();
        psql();
        // Memberships needed for their creation are revoked.
        const { rows: kept } = await superuser.query(
          `SELECT datname FROM pg_database
             WHERE pg_has_role('keeper', datdba, 'SET') AND datname NOT IN ('postgres', 'template1')`,
        );
        expect(kept).toEqual([]);
        await superuser.end();

        const passwords = entries('supplier-submissions-databases');
        for (const database of DATABASES) {
          const { owner, runtime } = rolesOf(database);
          const [service, variable] = MIGRATED[database] ?? [database, 'SSS_DATABASE_URL'];
          const ownerUrl = url(database, owner, passwords[database] ?? '');
          execFileSync(process.execPath, [join(CHECKOUT, `services/${service}/src/migrate.ts`)], {
            env: {
              PATH: process.env.PATH,
              [variable]: ownerUrl,
              SSS_RUNTIME_ROLE: runtime,
              SSS_DEPLOYMENT: 'local',
            },
            stdio: ['ignore', 'ignore', 'pipe'],
          });
          expect(await userOf(url(database, runtime, passwords[`${database}-runtime`] ?? ''))).toBe(runtime);
          expect(await userOf(url(database, runtime, 'another'))).toMatch(/password authentication failed/);
          for (const shared of ['postgres', 'template1'])
            for (const [role, key] of [
              [owner, database],
              [runtime, `${database}-runtime`],
            ])
              expect(await userOf(url(shared, role ?? '', passwords[key ?? ''] ?? ''))).toMatch(
                /permission denied/,
              );
          const [stranger = ''] = DATABASES.filter((other) => other !== database);
          expect(await userOf(url(database, stranger, passwords[stranger] ?? ''))).toMatch(
            /permission denied/,
          );
        }
      });
    },
    SERVER_MS,
  );
});

/** Returns the connected user, or why the connection was refused. */
async function userOf(connectionString: string): Promise<string> {
  const client = new pg.Client({ connectionString });
  try {
    await client.connect();
    const { rows } = await client.query('SELECT current_user AS name');
    return rows[0].name;
  } catch (error) {
    return String(error);
  } finally {
    await client.end();
  }
}

describe('nats-users.conf', () => {
  it(
    'permits each process to log in with its Secret, and to do exactly what its code declares',
    async () => {
      const server = await startTestNatsServer((config) =>
        config.replace(
          /^authorization: [\s\S]*^\}$/m, // Relative to the server's own file, in a sibling folder.
          `include "../${basename(folder)}/nats-users.conf"`,
        ),
      );
      try {
        const credentials = entries('supplier-submissions-nats');
        expect(Object.keys(credentials).toSorted()).toEqual([...NATS_USERS].toSorted());
        for (const user of NATS_USERS) {
          const credentialsFile = join(folder, `${user}.json`);
          writeFileSync(credentialsFile, credentials[user] ?? '');
          const process = startTestProcess(user);
          const bus = connectBus(process, { ...server.accessOf(user), credentialsFile });
          const connection = await eventually(`${user} is connected`, () => bus.connection());
          for (const subject of permissionsOf(user).publish.allow)
            connection.publish(subject.replaceAll('*', 'x').replace(/>$/, 'x'));
          await connection.flush();
          expect(process.lines.filter(({ level }) => level === 'error')).toEqual([]);
          const beyond = connection.request('supplier.of.somebody.else', '', { timeout: 30_000 });
          await expect(beyond).rejects.toThrow(/permission/i);
          await process.stop();
        }
      } finally {
        await server.close();
      }
    },
    SERVER_MS,
  );
});

describeWithHelm('values.yaml', 4, (helm) => {
  it('contains, with the production values, every Secret and entry that the release requires', async () => {
    const bucket = { accessKeyId: 'id', secretAccessKey: 'key' };
    const whole = await withCertificates({
      ...prepared,
      s3: { quarantine: bucket, clean: bucket },
      authorities: { postgresql: 'PEM', nats: 'PEM' },
    });
    const file = join(folder, 'values-whole.yaml');
    writeFileSync(file, filesOf(whole)['values.yaml'] ?? '');
    // The console client's secret comes from the identity provider.
    const console = { ...CONSOLE, oidc: { ...CONSOLE.oidc, clientSecret: { existingSecret: '' } } };
    const consoleFile = join(folder, 'values-console.yaml');
    writeFileSync(consoleFile, JSON.stringify({ console }));
    const objects = await helm.render({ files: ['values-production.yaml', consoleFile, file] });
    expect(objects.map(({ kind }) => kind)).not.toContain('Certificate');
    const there = new Map(secretsOf(whole).map(({ name, data }) => [name, Object.keys(data)]));
    const wanted = objects.flatMap((object) => secretKeysIn(object));
    expect(wanted.length).toBeGreaterThan(50);
    const missing = wanted.filter(({ name, key }) => !there.get(name)?.includes(key));
    expect(missing).toEqual([]);
    const unused = [...there].flatMap(([name, keys]) =>
      keys.filter((key) => !wanted.some((one) => one.name === name && one.key === key)),
    );
    expect(unused).toEqual([]);
  });
});

interface SecretKey {
  readonly name: string;
  readonly key: string;
}

/** Returns every Secret entry that an object's pods use. */
function secretKeysIn(value: unknown): SecretKey[] {
  if (typeof value !== 'object' || value === null) return [];
  const { secretKeyRef, secret } = value as Record<string, Record<string, unknown> | undefined>;
  const found: SecretKey[] = [];
  if (secretKeyRef) found.push({ name: String(secretKeyRef.name), key: String(secretKeyRef.key) });
  if (secret)
    for (const { key } of (secret.items ?? []) as { key: string }[])
      found.push({ name: String(secret.secretName ?? secret.name), key });
  return [...found, ...Object.values(value).flatMap(secretKeysIn)];
}
