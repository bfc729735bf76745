import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { createTestDatabase, eventually, type TestDatabase } from '../../testing/index.ts';
import { migrationStates, runMigrations } from './index.ts';

let database: TestDatabase;
let folder: string;
let lines: string[];
const sessions: pg.Client[] = [];
beforeEach(async () => {
  database = await createTestDatabase({
    schema: 'CREATE TABLE lead (n integer); INSERT INTO lead VALUES (1)',
  });
  folder = mkdtempSync(join(tmpdir(), 'migrations-'));
  lines = [];
});
afterEach(async () => {
  for (const session of sessions.splice(0)) await session.end().catch(() => {});
  rmSync(folder, { recursive: true, force: true });
  await database.close();
});

function write(name: string, sql: string): void {
  mkdirSync(join(folder, 'prisma', 'migrations', name), { recursive: true });
  writeFileSync(join(folder, 'prisma', 'migrations', name, 'migration.sql'), sql);
}

/** As somebody else, with a transaction open in which these statements were run. */
async function holder(...statements: string[]): Promise<pg.Client> {
  const session = new pg.Client({ connectionString: database.databaseUrl, application_name: 'report' });
  session.on('error', () => {});
  sessions.push(session);
  await session.connect();
  await session.query('BEGIN');
  for (const statement of statements) await session.query(statement);
  return session;
}

const place = () => ({ databaseUrl: database.databaseUrl, serviceDir: pathToFileURL(`${folder}/`) });
const run = (more = {}) => runMigrations({ ...place(), report: (line) => lines.push(line), ...more });
const query = async (sql: string) => (await database.pool.query(sql)).rows;
const states = async () => (await migrationStates(place())).map(({ state }) => state);
const indexes = () =>
  query(
    `SELECT c.relname AS name, i.indisvalid AS valid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
      WHERE i.indrelid = 'lead'::regclass`,
  );

/** The longest that a read took, of those that were made one after the other until the work had ended. */
async function slowestReadDuring(work: Promise<unknown>): Promise<number> {
  let done = false;
  const end = () => {
    done = true;
  };
  work.then(end, end);
  let slowest = 0;
  while (!done) {
    const start = performance.now();
    await query('SELECT n FROM lead');
    slowest = Math.max(slowest, performance.now() - start);
    await pause(5);
  }
  return slowest;
}

describe('a migration of a table that an open transaction uses', () => {
  beforeEach(() => write('1_a', 'ALTER TABLE lead ADD COLUMN m integer'));

  it('stops no read for longer than a second, says each time whom it waits for, and is applied when that ends', async () => {
    const other = await holder('SELECT n FROM lead');
    const { rows } = await other.query('SELECT pg_backend_pid() AS pid, now() AS since');
    const work = run();
    const reads = slowestReadDuring(work);
    await eventually('two tries have failed', () => lines.length >= 2);
    await other.query('COMMIT');
    expect(await work).toEqual(['1_a']);
    expect(await reads).toBeLessThan(3_000);
    const [{ pid, since }] = rows;
    const who = `the table lead, in use by pid ${pid} (report) since ${since.toISOString()}`;
    expect(lines.slice(0, -1)).toEqual(
      lines.slice(0, -1).map(() => expect.stringContaining(`1_a waits for ${who}; tried for`)),
    );
    expect(lines.at(-1)).toMatch(/^applied 1_a in \d+ ms$/);
  });

  it('ends within its bound, with the table and who uses it, and has changed nothing', async () => {
    const other = await holder('SELECT n FROM lead');
    await expect(run({ tableWaitMs: 300 })).rejects.toThrow(
      /^migration 1_a was not applied: for 0\.\d s it waited for the table lead, in use by pid \d+ \(report\) since 20[^ ]+Z\. .*run migrate again$/,
    );
    expect(await states()).toEqual(['pending']);
    await other.query('COMMIT');
    expect(await run({ tableWaitMs: 300 })).toEqual(['1_a']);
  });

  it('is tried again when it was ended for a deadlock', async () => {
    write('1_a', 'ALTER TABLE lead ADD COLUMN m integer; ALTER TABLE other ADD COLUMN m integer');
    await query('CREATE TABLE other (n integer)');
    await query(
      `ALTER DATABASE "${new URL(database.databaseUrl).pathname.slice(1)}" SET deadlock_timeout = '300ms'`,
    );
    const other = await holder('SELECT n FROM other', `SET deadlock_timeout = '60s'`);
    const work = run();
    const waits = async () => (await query('SELECT FROM pg_locks WHERE NOT granted')).length > 0;
    await eventually('it waits for the second table', waits);
    await other.query('SELECT n FROM lead');
    await other.query('COMMIT');
    expect(await work).toEqual(['1_a']);
  });

  it('waits for maintenance of the table in a mode that stops nobody', async () => {
    const vacuum = await holder('LOCK TABLE lead IN SHARE UPDATE EXCLUSIVE MODE');
    const work = run();
    await eventually('one try has failed', () => lines.length === 1);
    const waits = async () =>
      (
        await query(
          `SELECT FROM pg_locks WHERE NOT granted AND relation = 'lead'::regclass AND mode = 'ShareUpdateExclusiveLock'`,
        )
      ).length === 1;
    await eventually('it waits harmlessly', waits);
    // A read that was stopped would come back only after the wait that stops it.
    await query('SELECT n FROM lead');
    expect(await waits()).toBe(true);
    await vacuum.query('COMMIT');
    expect(await work).toEqual(['1_a']);
  });
});

describe('an index that is built concurrently', () => {
  beforeEach(() =>
    write(
      '1_i',
      '-- no transaction\n-- Finds a lead.\nCREATE UNIQUE INDEX CONCURRENTLY "lead_n_key" ON lead (n);\n',
    ),
  );
  const built = [{ name: 'lead_n_key', valid: true }];
  const building = async () => {
    const [found] = await query(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
        AND query LIKE '%CONCURRENTLY%' AND pid <> pg_backend_pid()`,
    );
    return found?.pid;
  };

  it('by a run that was killed is waited for by the next one, and taken as it is', async () => {
    const other = await holder('INSERT INTO lead VALUES (2)');
    const { databaseUrl, serviceDir } = place();
    const script = `const { runMigrations } = await import(process.argv[1]);
      await runMigrations({ databaseUrl: process.argv[2], serviceDir: new URL(process.argv[3]) });`;
    const module = new URL('index.ts', import.meta.url).href;
    const killed = execFile(process.execPath, [
      ...['--input-type=module', '--eval', script],
      ...[module, databaseUrl, serviceDir.href],
    ]);
    await eventually('it builds', building);
    killed.kill('SIGKILL');
    // Any other run is given up on at once.
    const next = run({ runLockMs: 0 });
    await eventually('it waits', () => lines.length > 0);
    expect(lines[0]).toMatch(/^waiting for another run, which builds an index, up to 3600 s: pid \d+ /);
    await other.query('COMMIT');
    expect(await next).toEqual(['1_i']);
    expect(lines).toContain('1_i was ended by PostgreSQL after its run was interrupted');
    expect(await indexes()).toEqual(built);
    expect(await states()).toEqual(['applied']);
  });

  it('and whose build was ended is dropped by the next run, and built again', async () => {
    const other = await holder('INSERT INTO lead VALUES (2)');
    const first = expect(run()).rejects.toThrow(/^migration 1_i failed/);
    const pid = await eventually('it builds', building);
    await query(`SELECT pg_terminate_backend(${pid})`);
    await first;
    expect(await indexes()).toEqual([{ name: 'lead_n_key', valid: false }]);
    expect(await states()).toEqual(['resumable']);
    await other.query('COMMIT');
    expect(await run()).toEqual(['1_i']);
    expect(await indexes()).toEqual(built);
    expect(await run()).toEqual([]);
  });

  it('and cannot be leaves nothing that refuses rows, and is built once its table lets it', async () => {
    await query('INSERT INTO lead VALUES (1)');
    await expect(run()).rejects.toThrow(/^migration 1_i failed \(23505\): could not create unique index/);
    expect(await indexes()).toEqual([]);
    expect(await states()).toEqual(['pending']);
    await query('TRUNCATE lead');
    expect(await run()).toEqual(['1_i']);
  });

  it('is not taken for one of the same name that somebody else built', async () => {
    await query('CREATE INDEX lead_n_key ON lead (n)');
    const refused = /^migration 1_i failed: there is an index lead_n_key that it did not build/;
    await expect(run()).rejects.toThrow(refused);
    await expect(run()).rejects.toThrow(refused);
  });
});

describe('an index that is dropped concurrently', () => {
  it('by a run that was ended is dropped by the next', async () => {
    await query('CREATE INDEX lead_n_idx ON lead (n)');
    write('1_d', '-- no transaction\nDROP INDEX CONCURRENTLY lead_n_idx');
    const other = await holder('INSERT INTO lead VALUES (2)');
    const first = expect(run()).rejects.toThrow(/^migration 1_d failed/);
    await eventually('it waits for others', () => lines.some((line) => line.startsWith('1_d waits for')));
    await query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE '%DROP INDEX CONCURRENTLY%' AND pid <> pg_backend_pid()`,
    );
    await first;
    expect(await states()).toEqual(['resumable']);
    await other.query('COMMIT');
    expect(await run()).toEqual(['1_d']);
    expect(await indexes()).toEqual([]);
  });
});
