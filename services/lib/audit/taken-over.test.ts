import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import pg from 'pg';
import { newId } from '../ids/index.ts';
import { runMigrations } from '../migrations/index.ts';
import { createTestDatabase, type TestDatabase } from '../testing/index.ts';

/** The migrations that this release adds, those of the audit log first. */
const THIS_RELEASE = /\/2026112[23]\d{6}_/;
const AT = new Date('2026-11-20T12:00:00.000Z');

const [accountId, thing] = [newId(), newId()];
const INSERT = `INSERT INTO audit_log (at, actor, action, account_id, details, request_id)
  VALUES ($1, $2, 'Act', '${accountId}', $3, 'r')`;
/** What the release before writes, and what becomes of it. */
const LINES: Record<string, { insert: string; rest: unknown[]; target: string; account: string | null }> = {
  account: { insert: INSERT, rest: [{ credentialId: thing }], target: thing, account: accountId },
  document: { insert: INSERT, rest: [{ documentId: thing }], target: thing, account: accountId },
  webhook: { insert: INSERT, rest: [{ endpointId: thing }], target: thing, account: accountId },
  submission: {
    insert: `INSERT INTO audit_log (id, at, actor, action, subject, request_id)
             VALUES (gen_random_uuid(), $1, $2, 'Act', $3, 'r')`,
    rest: [thing],
    target: thing,
    account: null,
  },
};

let database: TestDatabase | undefined;
let before: string | undefined;
afterEach(async () => {
  await database?.close();
  if (before) rmSync(before, { recursive: true });
});

describe.each(Object.entries(LINES))('the audit log of %s', (service, { insert, rest, target, account }) => {
  it('is taken over in its order, and so is what the release before writes beside this one', async () => {
    const serviceDir = new URL(`../../${service}/`, import.meta.url);
    database = await createTestDatabase({ serviceDir: withoutThisRelease(serviceDir) });
    await database.pool.query(insert, [AT, 'first', ...rest]);
    await database.pool.query(insert, [new Date(AT.getTime() + 1), 'second', ...rest]);

    const { databaseUrl, runtimeUrl } = database;
    await runMigrations({ databaseUrl, serviceDir, runtimeRole: new URL(runtimeUrl).username });
    const runtime = new pg.Client({ connectionString: runtimeUrl });
    await runtime.connect();
    await runtime.query(insert, [new Date(AT.getTime() + 2), 'third', ...rest]);
    await runtime.end();

    const { rows } = await database.pool.query(
      `SELECT actor, issuer, action, target, account_id, request_id FROM audit_entry
         JOIN audit_unsealed USING (sequence) ORDER BY sequence`,
    );
    const taken = { issuer: '', action: 'Act', target, account_id: account, request_id: 'r' };
    expect(rows).toEqual(['first', 'second', 'third'].map((actor) => ({ actor, ...taken })));
  });
});

/** The service's migrations as the release before has them. */
function withoutThisRelease(serviceDir: URL): URL {
  before = mkdtempSync(join(tmpdir(), 'release-before-'));
  cpSync(fileURLToPath(new URL('prisma/', serviceDir)), join(before, 'prisma'), {
    recursive: true,
    filter: (path) => !THIS_RELEASE.test(path),
  });
  return pathToFileURL(`${before}/`);
}
