import { databaseForTests } from '../../testing/index.ts';
import { queueOf } from './index.ts';

const database = databaseForTests({
  schema: `CREATE TABLE job (id int PRIMARY KEY, due_at timestamptz NOT NULL DEFAULT now() - interval '1 s',
             attempts int NOT NULL DEFAULT 0, failure text, parked_at timestamptz)`,
});
const queue = queueOf({ table: 'job', delays: { seconds: [10, 20], repeatsLast: false } });
const PENDING = { name: 'job', columns: 'w.id', pending: 'job w WHERE w.id = $2', order: 'w.due_at' };

const claim = (id: number) => queue.claim<{ id: number }>(database.pool, PENDING, 5, id);
const fail = (id: number, failed: number, isFinal = false) =>
  queue.fail(database.pool, { where: 'id = $1', values: [id] }, { failed, reason: 'Error', isFinal });
const rowOf = async (id: number) =>
  (
    await database.pool.query(
      `SELECT attempts, parked_at IS NOT NULL AS parked, round(extract(epoch FROM due_at - now()))::int AS due
         FROM job WHERE id = $1`,
      [id],
    )
  ).rows[0];
async function add(id: number) {
  await database.pool.query('INSERT INTO job (id) VALUES ($1)', [id]);
}

it('a failed row is due again after each delay, and parked after the last attempt', async () => {
  await add(1);
  expect(await claim(1)).toEqual([{ id: 1, attempts: 0 }]);
  expect(await fail(1, 0)).toBe(false);
  expect(await rowOf(1)).toEqual({ attempts: 1, parked: false, due: 10 });
  expect(await claim(1)).toEqual([]);
  expect(await fail(1, 1)).toBe(false);
  expect(await rowOf(1)).toEqual({ attempts: 2, parked: false, due: 20 });
  expect(await fail(1, 2)).toBe(true);
  expect(await rowOf(1)).toMatchObject({ attempts: 3, parked: true });
});

it('a failure of an earlier claim changes nothing', async () => {
  await add(2);
  await fail(2, 0);
  await fail(2, 1);
  expect(await fail(2, 0)).toBe(false);
  expect(await rowOf(2)).toEqual({ attempts: 2, parked: false, due: 20 });
});

it('a final failure parks immediately, and a released row has all its attempts again', async () => {
  await add(3);
  expect(await fail(3, 0, true)).toBe(true);
  expect(await claim(3)).toEqual([]);
  const all = { where: 'id = $1', values: [3] };
  expect(await queue.release(database.pool, all, 'id')).toEqual([3]);
  expect(await claim(3)).toEqual([{ id: 3, attempts: 0 }]);
  expect(await queue.release(database.pool, all, 'id')).toEqual([]);
});
