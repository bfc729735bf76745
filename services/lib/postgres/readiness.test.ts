import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import {
  createTestDatabase,
  eventually,
  startTestProcess,
  type TestDatabase,
  type TestProcess,
} from '../testing/index.ts';
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
  // Pools are ended before the server has noticed: the next test counts its own alone.
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

describe('databaseReadiness', () => {
  it('says no until the time is known, where the process goes by the time of the database', async () => {
    let isKnown = false;
    const ready = databaseReadiness(config, process, 'kept', () => isKnown);
    await expect(ready()).rejects.toThrow('has not answered with its time');
    isKnown = true;
    await ready();
  });

  it('does not wait for the connections of the work, and keeps to one of its own', async () => {
    const work = openPool(config, process, { purpose: 'work' });
    const ready = databaseReadiness(config, process, 'kept');
    const held = await work.connect();
    try {
      await Promise.all(Array.from({ length: 20 }, () => ready()));
      expect(await connectionsOf('test readiness')).toHaveLength(1);
      expect(await connectionsOf('test work')).toHaveLength(1);
    } finally {
      held.release();
    }
  });

  it('says no without the table, and yes once it is there', async () => {
    const ready = databaseReadiness(config, process, 'later');
    await expect(ready()).rejects.toMatchObject({ code: '42P01' });
    await database.pool.query('CREATE TABLE later ()');
    await ready();
  });

  it('says no while the database is unavailable, and yes again by a new connection', async () => {
    const ready = databaseReadiness(config, process, 'kept');
    await ready();
    const [pid] = await connectionsOf('test readiness');
    await database.pool.query('SELECT pg_terminate_backend($1, 2000)', [pid]);
    await ready().catch(() => {});
    await ready();
    expect(await connectionsOf('test readiness')).not.toContain(pid);
    const nobody = databaseReadiness({ ...config, databaseUrl: 'postgres://127.0.0.1:9/x' }, process, 'kept');
    await expect(nobody()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('says no while the server takes no writes, and asks a new connection each time', async () => {
    const ready = databaseReadiness(config, process, 'kept');
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

  it('says no in time when the database accepts and never answers, or a lock is in the way', async () => {
    const silent = net.createServer(() => {}).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const begun = performance.now();
    const nobody = databaseReadiness(
      { ...config, databaseUrl: `postgres://127.0.0.1:${port}/x` },
      process,
      'kept',
    );
    await expect(nobody()).rejects.toThrow('timeout');
    const lock = await database.pool.connect();
    await lock.query('BEGIN');
    await lock.query('LOCK TABLE kept IN ACCESS EXCLUSIVE MODE');
    await expect(databaseReadiness(config, process, 'kept')()).rejects.toMatchObject({ code: '57014' });
    expect(performance.now() - begun).toBeLessThan(20_000);
    await lock.query('ROLLBACK');
    lock.release();
    silent.close();
  });
});
