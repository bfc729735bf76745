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
    const query = (text: string) => (away ? Promise.reject(new Error('away')) : database.pool.query(text));
    const clock = databaseClock(process, { query } as unknown as typeof database.pool, own);
    expect(clock.now().getTime() - own.now().getTime()).toBe(0);
    away = false;
    await eventually('the right time', async () => (await differenceTo(clock)) < CLOSE_MS);
    await process.stop();
  });
});
