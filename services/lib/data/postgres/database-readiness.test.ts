import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import {
  createTestDatabase,
  eventually,
  startTestProcess,
  type TestDatabase,
  type TestProcess,
} from '../../testing/index.ts';
import { databaseReadiness, openPool } from './index.ts';

let database: TestDatabase;
let process: TestProcess;
let config: { databaseUrl: string; databasePool: number };

beforeAll(async () => {
  database = await createTestDatabase({ schema: 'CREATE TABLE kept (n integer)' });
});
beforeEach(() => {
  process = startTestProcess('test');
  config = { databaseUrl: database.databaseUrl, databasePool: 1 };
});
afterEach(async () => {
  await process.stop();
  // The pool ends before the server notices, and the next test must count only its own connections.
  await eventually('their connections are gone', async () => {
    const left = await Promise.all(['test readiness', 'test work'].map(connectionsOf));
    return left.flat().length === 0;
  });
});
afterAll(() => database.close());

const connectionsOf = async (name: string): Promise<number[]> => {
  const sql = 'SELECT pid FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database()';
  return (await database.pool.query<{ pid: number }>(sql, [name])).rows.map(({ pid }) => pid);
};

const KEPT = { table: 'kept' };

describe('databaseReadiness', () => {
  it('rejects until the time is known, if the process uses the database clock', async () => {
    let isKnown = false;
    const ready = databaseReadiness(config, process, { table: 'kept', clockIsKnown: () => isKnown });
    await expect(ready()).rejects.toThrow('has not been read within 200 ms');
    isKnown = true;
    await ready();
  });

  it("uses its own single connection and does not wait for the work's connections", async () => {
    const work = openPool(config, process, { purpose: 'work' });
    const ready = databaseReadiness(config, process, KEPT);
    const held = await work.connect();
    try {
      await Promise.all(Array.from({ length: 20 }, () => ready()));
      expect(await connectionsOf('test readiness')).toHaveLength(1);
      expect(await connectionsOf('test work')).toHaveLength(1);
    } finally {
      held.release();
    }
  });

  it('rejects without the table and resolves when it exists', async () => {
    const ready = databaseReadiness(config, process, { table: 'later' });
    await expect(ready()).rejects.toMatchObject({ code: '42P01' });
    await database.pool.query('CREATE TABLE later ()');
    await ready();
  });

  it('rejects while the database is unavailable and recovers with a new connection', async () => {
    const ready = databaseReadiness(config, process, KEPT);
    await ready();
    const [pid] = await connectionsOf('test readiness');
    await database.pool.query('SELECT pg_terminate_backend($1, 2000)', [pid]);
    await ready().catch(() => {});
    await ready();
    expect(await connectionsOf('test readiness')).not.toContain(pid);
    const nobody = databaseReadiness({ ...config, databaseUrl: 'postgres://127.0.0.1:9/x' }, process, KEPT);
    await expect(nobody()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('rejects while the server is read-only and opens a new connection for each check', async () => {
    const ready = databaseReadiness(config, process, KEPT);
    await ready();
    const name = new URL(database.databaseUrl).pathname.slice(1);
    const [pid] = await connectionsOf('test readiness');
    await database.pool.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await database.pool.query('SELECT pg_terminate_backend($1, 2000)', [pid]);
    await ready().catch(() => {});
    await expect(ready()).rejects.toMatchObject({ code: '25006' });
    expect(await connectionsOf('test readiness')).toEqual([]);
    await database.pool.query(`ALTER DATABASE ${name} SET default_transaction_read_only = off`);
    await ready();
  });

  it('rejects in time if the database never responds or a lock blocks the check', async () => {
    const silent = net.createServer(() => {}).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const startedAt = performance.now();
    const nobody = databaseReadiness(
      { ...config, databaseUrl: `postgres://127.0.0.1:${port}/x` },
      process,
      KEPT,
    );
    await expect(nobody()).rejects.toThrow('timeout');
    const lock = await database.pool.connect();
    await lock.query('BEGIN');
    await lock.query('LOCK TABLE kept IN ACCESS EXCLUSIVE MODE');
    await expect(databaseReadiness(config, process, KEPT)()).rejects.toMatchObject({ code: '57014' });
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    await lock.query('ROLLBACK');
    lock.release();
    silent.close();
  });
});

describe('databaseReadiness error message', () => {
  const HISTORY = `CREATE TABLE kept (n integer);
    CREATE TABLE _prisma_migrations (migration_name text, finished_at timestamptz, rolled_back_at timestamptz);`;
  const FIRST = '20260101000000_first';
  const SECOND = '20260202000000_second';
  let empty: TestDatabase;
  let name: string;
  beforeEach(async () => {
    empty = await createTestDatabase({ schema: '' });
    name = new URL(empty.databaseUrl).pathname.slice(1);
  });
  afterEach(() => empty.close());

  const readinessAt = (databaseUrl: string) =>
    databaseReadiness({ databaseUrl, databasePool: 1 }, process, {
      table: 'kept',
      migrations: [FIRST, SECOND],
    });
  const applied = (migration: string, finished = 'now()', rolledBack = 'NULL') =>
    empty.pool.query(`INSERT INTO _prisma_migrations VALUES ('${migration}', ${finished}, ${rolledBack})`);

  it('reports a missing schema in an empty database', async () => {
    await expect(readinessAt(empty.databaseUrl)()).rejects.toThrow(
      `database "${name}" has no schema: run \`helm upgrade\``,
    );
  });

  it('reports a missing schema if the role may not connect yet', async () => {
    const role = `r_${name}`.slice(0, 60);
    await empty.pool.query(
      `CREATE ROLE ${role} LOGIN PASSWORD 'x'; REVOKE CONNECT ON DATABASE ${name} FROM PUBLIC`,
    );
    try {
      const url = new URL(empty.databaseUrl);
      url.username = role;
      url.password = 'x';
      await expect(readinessAt(url.href)()).rejects.toMatchObject({
        code: '42501',
        message: expect.stringMatching(
          `^database "${name}" has no schema: run .* grants access to the role "${role}"$`,
        ),
      });
    } finally {
      await empty.pool.query(`DROP ROLE ${role}`);
    }
  });

  it('names the migration that an older schema lacks', async () => {
    await empty.pool.query(HISTORY);
    const ready = readinessAt(empty.databaseUrl);
    await applied(FIRST);
    await expect(ready()).rejects.toThrow(
      `database "${name}" lacks the migration ${SECOND}: run \`helm upgrade\``,
    );
    await applied(SECOND, 'NULL');
    await expect(ready()).rejects.toThrow(SECOND);
    await applied(SECOND, 'now()', 'now()');
    await expect(ready()).rejects.toThrow(SECOND);
    await empty.pool.query('DELETE FROM _prisma_migrations');
    await expect(ready()).rejects.toThrow(`lacks the migration ${FIRST} and 1 more`);
    await applied(FIRST);
    await applied(SECOND);
    await ready();
  });

  it('accepts a database that a later version has migrated further', async () => {
    await empty.pool.query(HISTORY);
    for (const migration of [FIRST, SECOND, '20270101000000_later']) await applied(migration);
    await readinessAt(empty.databaseUrl)();
  });

  it('reports a missing database', async () => {
    const url = new URL(empty.databaseUrl);
    url.pathname = '/nothing_here';
    await expect(readinessAt(url.href)()).rejects.toMatchObject({
      code: '3D000',
      message: 'there is no database "nothing_here": create it, then run `helm upgrade`',
    });
  });

  it('reports a server that does not respond, without the password', async () => {
    await expect(readinessAt('postgres://somebody:s3cret@127.0.0.1:9/leads')()).rejects.toMatchObject({
      message: 'database "leads" is not responding (ECONNREFUSED)',
    });
  });
});
