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

/** Returns another session with an open transaction that has run these statements. */
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

/** Reads repeatedly until `work` ends and returns the longest duration of a read. */
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
    await pause(50);
  }
  return slowest;
}

describe('migration of a table in use by an open transaction', () => {
  beforeEach(() => write('1_a', 'ALTER TABLE lead ADD COLUMN m integer'));

  it('blocks no read for over 3 seconds, reports the session it waits for, and succeeds when that session ends', async () => {
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
      lines.slice(0, -1).map(() => expect.stringContaining(`1_a is waiting for ${who}; tried for`)),
    );
    expect(lines.at(-1)).toMatch(/^applied 1_a in \d+ ms$/);
  });

  it('times out with the table and its user, and leaves no changes', async () => {
    const other = await holder('SELECT n FROM lead');
    await expect(run({ tableWaitMs: 300 })).rejects.toThrow(
      /^migration 1_a was not applied: it waited 0\.\d s for the table lead, in use by pid \d+ \(report\) since 20[^ ]+Z\. .*run migrate again$/,
    );
    expect(await states()).toEqual(['pending']);
    await other.query('COMMIT');
    expect(await run({ tableWaitMs: 300 })).toEqual(['1_a']);
  });

  it('retries after a deadlock', async () => {
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

  it('waits for table maintenance in a lock mode that blocks no reads', async () => {
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
    // A blocked read would return only after the wait that blocks it.
    await query('SELECT n FROM lead');
    expect(await waits()).toBe(true);
    await vacuum.query('COMMIT');
    expect(await work).toEqual(['1_a']);
  });
});

describe('concurrent index build', () => {
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

  it('waits for the build of a killed run and keeps its index', async () => {
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
    // The run would give up immediately on any other run.
    const next = run({ runLockMs: 0 });
    await eventually('it waits', () => lines.length > 0);
    expect(lines[0]).toMatch(/^waiting up to 3600 s for another run, which is building an index: pid \d+ /);
    await other.query('COMMIT');
    expect(await next).toEqual(['1_i']);
    expect(lines).toContain('PostgreSQL ended 1_i after its run was interrupted');
    expect(await indexes()).toEqual(built);
    expect(await states()).toEqual(['applied']);
  });

  it('drops the index of an ended build and builds it again', async () => {
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

  it('leaves no index that rejects rows after a failure, and builds it when the data allow', async () => {
    await query('INSERT INTO lead VALUES (1)');
    await expect(run()).rejects.toThrow(/^migration 1_i failed \(23505\): could not create unique index/);
    expect(await indexes()).toEqual([]);
    expect(await states()).toEqual(['pending']);
    await query('TRUNCATE lead');
    expect(await run()).toEqual(['1_i']);
  });

  it('rejects an existing index of the same name', async () => {
    await query('CREATE INDEX lead_n_key ON lead (n)');
    const refused = /^migration 1_i failed: the index lead_n_key already exists/;
    await expect(run()).rejects.toThrow(refused);
    await expect(run()).rejects.toThrow(refused);
  });
});

describe('concurrent index drop', () => {
  it('completes the drop of an ended run', async () => {
    await query('CREATE INDEX lead_n_idx ON lead (n)');
    write('1_d', '-- no transaction\nDROP INDEX CONCURRENTLY lead_n_idx');
    const other = await holder('INSERT INTO lead VALUES (2)');
    const first = expect(run()).rejects.toThrow(/^migration 1_d failed/);
    await eventually('it waits for others', () =>
      lines.some((line) => line.startsWith('1_d is waiting for')),
    );
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
