import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createTestDatabase, type TestDatabase } from '../../testing/index.ts';
import { migrationStates, runMigrations } from './index.ts';

const RUN_LOCK = 72_707_369;

let database: TestDatabase;
let folder: string;
beforeEach(async () => {
  database = await createTestDatabase({ schema: '' });
  folder = mkdtempSync(join(tmpdir(), 'migrations-'));
  mkdirSync(join(folder, 'prisma', 'migrations'), { recursive: true });
});
afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await database.close();
});

function write(name: string, sql: string): void {
  mkdirSync(join(folder, 'prisma', 'migrations', name), { recursive: true });
  writeFileSync(join(folder, 'prisma', 'migrations', name, 'migration.sql'), sql);
}

const place = () => ({ databaseUrl: database.databaseUrl, serviceDir: pathToFileURL(`${folder}/`) });
const run = (more = {}) => runMigrations({ ...place(), ...more });
const query = async (sql: string, values: unknown[] = []) => (await database.pool.query(sql, values)).rows;
const history = () => query('SELECT * FROM _prisma_migrations ORDER BY migration_name');
const tables = async () =>
  (
    await query(
      `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
        AND relname <> '_prisma_migrations' ORDER BY 1`,
    )
  ).map(({ relname }) => relname);
const states = async () =>
  Object.fromEntries((await migrationStates(place())).map(({ name, state }) => [name, state]));

describe('runMigrations on an empty database', () => {
  it('applies every migration once, in name order', async () => {
    write('2_b', 'INSERT INTO a VALUES (2)');
    write('1_a', 'CREATE TABLE a (n int)');
    write('10_c', 'CREATE TABLE c (n int)');
    expect(await run()).toEqual(['10_c', '1_a', '2_b']);
    expect(await tables()).toEqual(['a', 'c']);
    expect(await run()).toEqual([]);
    expect(await query('SELECT n FROM a')).toEqual([{ n: 2 }]);
  });

  it("records each migration in Prisma's columns with Prisma's checksum", async () => {
    const sql = 'CREATE TABLE a (n int);\n-- ü\n';
    write('1_a', sql);
    await run();
    const [row, ...more] = await history();
    expect(more).toEqual([]);
    expect(row).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      checksum: createHash('sha256').update(sql).digest('hex'),
      finished_at: expect.any(Date),
      migration_name: '1_a',
      logs: null,
      rolled_back_at: null,
      started_at: expect.any(Date),
      applied_steps_count: 1,
    });
    expect(row.finished_at.getTime()).toBeGreaterThanOrEqual(row.started_at.getTime());
  });

  it('creates functions whose bodies contain semicolons', async () => {
    write(
      '1_f',
      `CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM 1; RETURN 2; END $$; CREATE TABLE t (n int);`,
    );
    await run();
    expect(await query('SELECT f() AS two')).toEqual([{ two: 2 }]);
  });

  it('changes nothing when the states are read', async () => {
    write('1_a', 'CREATE TABLE a (n int)');
    expect(await states()).toEqual({ '1_a': 'pending' });
    expect(await query(`SELECT to_regclass('_prisma_migrations') AS made`)).toEqual([{ made: null }]);
  });
});

describe('runMigrations on a partly migrated database', () => {
  beforeEach(async () => {
    write('1_a', 'CREATE TABLE a (n int)');
    write('2_b', 'CREATE TABLE b (n int)');
    await run();
  });

  it('applies the others, including one that sorts before an applied migration', async () => {
    write('3_c', 'CREATE TABLE c (n int)');
    write('1_z', 'CREATE TABLE z (n int)');
    const lines: string[] = [];
    expect(await states()).toEqual({
      '1_a': 'applied',
      '1_z': 'pending',
      '2_b': 'applied',
      '3_c': 'pending',
    });
    expect(await run({ report: (line: string) => lines.push(line) })).toEqual(['1_z', '3_c']);
    expect(lines).toEqual([
      expect.stringMatching(/^applied 1_z in \d+ ms$/),
      expect.stringMatching(/^applied 3_c in \d+ ms$/),
    ]);
    expect(await tables()).toEqual(['a', 'b', 'c', 'z']);
  });

  it('rejects a file that changed after it was applied, and applies nothing', async () => {
    write('2_b', 'CREATE TABLE b (n bigint)');
    write('3_c', 'CREATE TABLE c (n int)');
    await expect(run()).rejects.toThrow(/^migration 2_b was changed after it was applied at 20/);
    expect(await tables()).toEqual(['a', 'b']);
    expect(await states()).toEqual({ '1_a': 'applied', '2_b': 'changed', '3_c': 'pending' });
  });

  it('changes nothing as an earlier version that lacks the last files', async () => {
    rmSync(join(folder, 'prisma', 'migrations', '2_b'), { recursive: true });
    expect(await run()).toEqual([]);
    expect(await states()).toEqual({ '1_a': 'applied', '2_b': 'unknown' });
  });

  it('changes nothing as an earlier version while a later one builds an index', async () => {
    await query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ('x', 'y', '9_of_a_later_version')`,
    );
    expect(await run()).toEqual([]);
    expect(await states()).toMatchObject({ '2_b': 'applied', '9_of_a_later_version': 'unknown' });
  });

  it('rejects a migration that was started and not finished until a person marks it', async () => {
    write('3_c', 'CREATE TABLE c (n int)');
    await query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, logs) VALUES ('x', 'y', '3_c', 'failed')`,
    );
    await expect(run()).rejects.toThrow(/^migration 3_c was started at 20.* did not finish.*rolled_back_at/);
    expect(await states()).toMatchObject({ '3_c': 'unfinished' });
    await query(`UPDATE _prisma_migrations SET rolled_back_at = now() WHERE id = 'x'`);
    expect(await run()).toEqual(['3_c']);
    expect(await states()).toMatchObject({ '3_c': 'applied' });
  });
});

describe('failing migration', () => {
  it('leaves no changes, reports the line, and is applied after a fix', async () => {
    write('1_a', 'CREATE TABLE a (n int)');
    write('2_b', 'CREATE TABLE b (n int);\nINSERT INTO a VALUES (1);\nINSERT INTO missing VALUES (1);\n');
    write('3_c', 'CREATE TABLE c (n int)');
    await expect(run()).rejects.toThrow(
      'migration 2_b failed (42P01, line 3): relation "missing" does not exist',
    );
    expect(await tables()).toEqual(['a']);
    expect(await query('SELECT n FROM a')).toEqual([]);
    expect(await history()).toHaveLength(1);
    write('2_b', 'CREATE TABLE b (n int)');
    expect(await run()).toEqual(['2_b', '3_c']);
  });

  it('does not quote row data in its error', async () => {
    write('1_a', `CREATE TABLE a (t text); INSERT INTO a VALUES ('Jane Doe'); SELECT t::int FROM a`);
    await expect(run()).rejects.toThrow(/^migration 1_a failed \(22P02\)$/);
  });
});

describe('concurrent runs', () => {
  it('apply each migration once: the second run waits and finds it done', async () => {
    write('1_a', 'CREATE TABLE a (n int); SELECT pg_sleep(0.3)');
    write('2_b', 'INSERT INTO a VALUES (1)');
    const lines: string[] = [];
    const both = await Promise.all([1, 2].map(() => run({ report: (line: string) => lines.push(line) })));
    expect(both.toSorted((a, b) => a.length - b.length)).toEqual([[], ['1_a', '2_b']]);
    expect(await query('SELECT n FROM a')).toEqual([{ n: 1 }]);
    expect(await history()).toHaveLength(2);
    expect(lines).toContainEqual(
      expect.stringMatching(/^waiting up to 60 s for another run: pid \d+ \(migrate\)$/),
    );
  });

  it('wait for each other only up to the limit', async () => {
    const other = await database.pool.connect();
    await other.query(`SELECT pg_advisory_lock(${RUN_LOCK})`);
    await expect(run({ runLockMs: 200 })).rejects.toThrow(
      'another run has held the migration lock for more than 0.2 s',
    );
    await other.query(`SELECT pg_advisory_unlock(${RUN_LOCK})`);
    other.release();
    expect(await run({ runLockMs: 200 })).toEqual([]);
  });

  it('do not block a concurrent index build', async () => {
    write('1_a', 'CREATE TABLE a (n int)');
    write('2_b', '-- no transaction\nCREATE INDEX CONCURRENTLY a_n_idx ON a (n);\n');
    write('3_c', 'CREATE TABLE c (n int)');
    const both = await Promise.all([1, 2].map(() => run()));
    expect(both.flat()).toEqual(['1_a', '2_b', '3_c']);
    expect(await query(`SELECT indisvalid FROM pg_index WHERE indexrelid = 'a_n_idx'::regclass`)).toEqual([
      { indisvalid: true },
    ]);
  });
});
