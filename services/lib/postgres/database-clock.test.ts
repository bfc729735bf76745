import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { createTestDatabase, eventually, startTestProcess, type TestDatabase } from '../testing/index.ts';
import { databaseClock } from './index.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ schema: '' });
});
afterAll(() => database.close());

/** On a machine that is busy an answer takes some of it. */
const CLOSE_MS = 1_500;
const SKEW_MS = 3_600_000;

async function differenceTo(clock: { now(): Date }): Promise<number> {
  const { rows } = await database.pool.query<{ now: Date }>('SELECT clock_timestamp() AS now');
  return Math.abs((rows[0]?.now.getTime() ?? 0) - clock.now().getTime());
}

describe("the database's clock", () => {
  it.each([-SKEW_MS, SKEW_MS])(
    'is told by a machine whose own is %d ms off, and that it is, is said',
    async (skew) => {
      const process = startTestProcess('test');
      const own = { now: () => new Date(Date.now() + skew) };
      const clock = databaseClock(process, database.pool, own);
      await eventually('the right time', async () => (await differenceTo(clock)) < CLOSE_MS);
      expect(process.lines.map(({ msg }) => msg)).toEqual([
        "this machine's clock is not the database's; going by the database's",
      ]);
      await process.stop();
    },
  );

  it("is the machine's own while the database cannot be asked, and the database's once it can", async () => {
    const process = startTestProcess('test');
    const own = { now: () => new Date(Date.now() + SKEW_MS) };
    let away = true;
    const connect = () => (away ? Promise.reject(new Error('away')) : database.pool.connect());
    const clock = databaseClock(process, { connect } as unknown as pg.Pool, own);
    expect(clock.now().getTime() - own.now().getTime()).toBe(0);
    away = false;
    await clock.measured;
    expect(await differenceTo(clock)).toBeLessThan(CLOSE_MS);
    await process.stop();
  });

  it('is as right where every connection of the pool is waited for', async () => {
    const process = startTestProcess('test');
    const pool = new pg.Pool({ connectionString: database.databaseUrl, max: 1 });
    let busy = true;
    const occupy = async () => {
      while (busy) await pool.query('SELECT pg_sleep(0.4)');
    };
    const others = [occupy(), occupy(), occupy()];
    try {
      const clock = databaseClock(process, pool);
      await clock.measured;
      expect(await differenceTo(clock)).toBeLessThan(150);
    } finally {
      busy = false;
      await Promise.all(others);
      await process.stop();
      await pool.end();
    }
  });

  it('is not told by answers that took long', async () => {
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
    await Promise.race([again.promise, clock.measured]);
    expect(clock.now().getTime() - own.now().getTime()).toBe(0);
    expect(process.lines.map(({ msg }) => msg)).toEqual(["the start waits for the database's time"]);
    slow = false;
    await clock.measured;
    expect(await differenceTo(clock)).toBeLessThan(CLOSE_MS);
    await process.stop();
  });

  it('lends nobody a connection on which it asked in vain', async () => {
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
    await clock.measured;
    await process.stop();
    await pool.end();
  });

  it('keeps a start that waits for it alive while the database is away, and says once what is waited for', async () => {
    const module = (path: string) => JSON.stringify(fileURLToPath(new URL(path, import.meta.url)));
    const program = `
      import { runProcess } from ${module('../service-runtime/index.ts')};
      import { databaseClock, openPool } from ${module('index.ts')};
      runProcess('test', async (process) => {
        let times = 0;
        const pool = openPool({ databaseUrl: 'postgres://127.0.0.1:9/x', databasePool: 1 }, process);
        const { connect } = pool;
        const counted = { connect() { times += 1; if (times === 3) process.log.info({}, 'third time'); return connect.call(pool); } };
        await databaseClock(process, counted).measured;
      });`;
    const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', program];
    const child = spawn(globalThis.process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += String(chunk);
      if (output.includes('third time')) child.kill('SIGTERM');
    });
    await once(child, 'close');
    const said = output
      .trimEnd()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).msg);
    expect(said.filter((msg) => msg.includes("database's time") || msg === 'third time')).toEqual([
      "the start waits for the database's time",
      'third time',
    ]);
  });
});
