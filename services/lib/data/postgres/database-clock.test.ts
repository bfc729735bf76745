import pg from 'pg';
import { createTestDatabase, eventually, startTestProcess, type TestDatabase } from '../../testing/index.ts';
import { databaseClock } from './index.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ schema: '' });
});
afterAll(() => database.close());

/** Includes the response time on a busy machine. */
const CLOSE_MS = 15_000;
const SKEW_MS = 3_600_000;

async function differenceTo(clock: { now(): Date }): Promise<number> {
  const { rows } = await database.pool.query<{ now: Date }>('SELECT clock_timestamp() AS now');
  return Math.abs((rows[0]?.now.getTime() ?? 0) - clock.now().getTime());
}

describe('databaseClock', () => {
  it.each([-SKEW_MS, SKEW_MS])(
    'corrects a machine clock that is %d ms off, and logs the difference',
    async (skew) => {
      const process = startTestProcess('test');
      const own = { now: () => new Date(Date.now() + skew) };
      const clock = databaseClock(process, database.pool, own);
      await eventually('the right time', async () => (await differenceTo(clock)) < CLOSE_MS);
      expect(process.lines.map(({ msg }) => msg)).toEqual([
        "clock differs from the database's; using the database's",
      ]);
      await process.stop();
    },
  );

  it('uses the machine clock until the database responds', async () => {
    const process = startTestProcess('test');
    const own = { now: () => new Date(Date.now() + SKEW_MS) };
    let away = true;
    const connect = () => (away ? Promise.reject(new Error('away')) : database.pool.connect());
    const clock = databaseClock(process, { connect } as unknown as pg.Pool, own);
    expect(clock.now().getTime() - own.now().getTime()).toBe(0);
    away = false;
    await eventually('the time is known', () => clock.isKnown());
    expect(await differenceTo(clock)).toBeLessThan(CLOSE_MS);
    await process.stop();
  });

  it('stays precise when every connection in the pool is in use', async () => {
    const process = startTestProcess('test');
    const pool = new pg.Pool({ connectionString: database.databaseUrl, max: 1 });
    let busy = true;
    const occupy = async () => {
      while (busy) await pool.query('SELECT pg_sleep(1)');
    };
    const others = [occupy(), occupy(), occupy()];
    try {
      const clock = databaseClock(process, pool);
      await eventually('the time is known', () => clock.isKnown());
      expect(await differenceTo(clock)).toBeLessThan(400);
    } finally {
      busy = false;
      await Promise.all(others);
      await process.stop();
      await pool.end();
    }
  });

  it('ignores slow responses', async () => {
    const process = startTestProcess('test');
    let slow = true;
    const again = Promise.withResolvers<void>();
    let times = 0;
    const connect = async () => {
      times += 1;
      if (times === 2) again.resolve();
      const client = await database.pool.connect();
      const query = async (text: string) => {
        if (slow) await client.query('SELECT pg_sleep(0.25)');
        const answer = await client.query(text);
        if (slow) await client.query('SELECT pg_sleep(0.05)');
        return answer;
      };
      return { query, release: () => client.release() };
    };
    const own = { now: () => new Date(Date.now() + SKEW_MS) };
    const clock = databaseClock(process, { connect } as unknown as pg.Pool, own);
    await again.promise;
    expect(clock.isKnown()).toBe(false);
    expect(clock.now().getTime() - own.now().getTime()).toBe(0);
    slow = false;
    await eventually('the time is known', () => clock.isKnown());
    expect(await differenceTo(clock)).toBeLessThan(CLOSE_MS);
    await process.stop();
  });

  it('releases no connection with a pending response to another caller', async () => {
    const process = startTestProcess('test');
    const pool = new pg.Pool({
      connectionString: database.databaseUrl,
      max: 1,
      pipeline: true,
      query_timeout: 300,
    });
    pool.on('error', () => {});
    let silent = true;
    pool.on('connect', (client) => {
      client.on('error', () => {});
      const query = client.query.bind(client) as (...statement: unknown[]) => unknown;
      const send = (text: unknown, ...rest: unknown[]) =>
        query(silent && String(text).includes('clock_timestamp') ? 'SELECT pg_sleep(2)' : text, ...rest);
      Object.assign(client, { query: send });
    });
    const clock = databaseClock(process, pool);
    const stranger = await pool.query('SELECT 1 AS n').catch((error: unknown) => error);
    expect(stranger).toMatchObject({ rows: [{ n: 1 }] });
    silent = false;
    await eventually('the time is known', () => clock.isKnown());
    await process.stop();
    await pool.end();
  });
});
