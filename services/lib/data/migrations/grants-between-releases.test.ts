import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../testing/index.ts';
import { revokeFromRuntime, runMigrations, runtimeGrants } from './index.ts';

const TABLES = {
  '1_lead': 'CREATE TABLE lead (id integer, state text, note text)',
  '2_ledger': 'CREATE TABLE ledger (id integer)',
};
/** The newer release adds a table and a privilege, and needs fewer privileges on another table. */
const RELEASES = {
  older: {
    migrations: TABLES,
    grants: { lead: 'SELECT, INSERT, UPDATE, DELETE', ledger: 'SELECT, INSERT' },
    statements: [
      `UPDATE lead SET note = ''`,
      'DELETE FROM lead WHERE id = 1',
      'INSERT INTO ledger VALUES (1)',
    ],
  },
  newer: {
    migrations: { ...TABLES, '3_offer': 'CREATE TABLE offer (id integer)' },
    grants: {
      lead: 'SELECT, INSERT, UPDATE (state)',
      ledger: 'SELECT, INSERT, UPDATE',
      offer: 'SELECT, INSERT',
    },
    statements: [`UPDATE lead SET state = ''`, 'UPDATE ledger SET id = 2', 'INSERT INTO offer VALUES (1)'],
  },
} as const;
type Release = keyof typeof RELEASES;

let folder: string;
let database: TestDatabase;
let pods: pg.Pool;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'releases-'));
  for (const release of ['older', 'newer'] as const) {
    for (const [name, sql] of Object.entries(RELEASES[release].migrations)) {
      const of = join(folder, release, 'prisma', 'migrations', name);
      mkdirSync(of, { recursive: true });
      writeFileSync(join(of, 'migration.sql'), sql);
    }
    const grants = JSON.stringify(RELEASES[release].grants);
    writeFileSync(join(folder, release, 'prisma', 'grants.json'), grants);
  }
  database = await createTestDatabase({ serviceDir: place('older') });
  pods = new pg.Pool({ connectionString: database.runtimeUrl, max: 2 });
});
afterAll(async () => {
  await pods.end();
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

const place = (release: Release) => pathToFileURL(`${folder}/${release}/`);
const options = (release: Release) => ({
  databaseUrl: database.databaseUrl,
  serviceDir: place(release),
  runtimeRole: new URL(database.runtimeUrl).username,
});

/** Returns the statements of a release that its pods are denied. */
async function refusedTo(release: Release): Promise<string[]> {
  const refused: string[] = [];
  for (const statement of RELEASES[release].statements)
    await pods.query(statement).catch(() => refused.push(statement));
  return refused;
}

/** Runs the statements of the serving releases until `work` ends, and returns the denied ones. */
async function refusedDuring(work: Promise<unknown>, ...serving: Release[]): Promise<string[]> {
  const refused = new Set<string>();
  let ended = false;
  const end = () => {
    ended = true;
  };
  work.then(end, end);
  for (let last = false; !last; ) {
    last = ended;
    for (const release of serving) for (const one of await refusedTo(release)) refused.add(one);
  }
  await work;
  return [...refused];
}

it('a serving release is denied no statement during an upgrade, a rollback and another upgrade', async () => {
  expect(await refusedDuring(runMigrations(options('newer')), 'older')).toEqual([]);
  expect(await refusedTo('newer')).toEqual([]);
  expect(await refusedDuring(runMigrations(options('older')), 'older', 'newer')).toEqual([]);
  expect(await refusedDuring(runMigrations(options('newer')), 'older', 'newer')).toEqual([]);
});

it('privileges that only the previous release needs are kept and listed until the command revokes them', async () => {
  const superfluous = async () =>
    Object.fromEntries(
      (await runtimeGrants(options('newer')))
        .filter((state) => state.superfluous !== '')
        .map((state) => [state.table, state.superfluous]),
    );
  expect(await superfluous()).toEqual({ lead: 'UPDATE, DELETE' });
  const said: string[] = [];
  const revoke = () => revokeFromRuntime({ ...options('newer'), report: (line) => said.push(line) });
  expect(await refusedDuring(revoke(), 'newer')).toEqual([]);
  expect(said).toEqual(['revoked from test_runtime: UPDATE, DELETE on lead']);
  expect(await superfluous()).toEqual({});
  expect(await refusedTo('older')).toEqual([`UPDATE lead SET note = ''`, 'DELETE FROM lead WHERE id = 1']);
});
