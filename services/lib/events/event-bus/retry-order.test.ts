import { readFileSync } from 'node:fs';
import { databaseForTests } from '../../testing/index.ts';
import { newId } from '../../text/ids/index.ts';
import { claimDueEvent, releaseParkedEvents } from './failed-events.ts';

const schema = readFileSync(new URL('failed-events.sql', import.meta.url), 'utf8');
const database = databaseForTests({ schema });

/** Keeps an event that has failed `attempts` times. */
async function keep(dueAgo: string, attempts: number, parkedAt: Date | null = null): Promise<string> {
  const id = newId();
  await database.pool.query(
    `INSERT INTO failed_event (consumer, event_id, type, subject, envelope, attempts, due_at, parked_at, failure)
     VALUES ('one', $1, 'T', 's', '', $2, now() - $3::interval, $4, 'Error')`,
    [id, attempts, dueAgo, parkedAt],
  );
  return id;
}

it('failed events are tried again in the order in which they became due', async () => {
  await keep('1 s', 1);
  const longest = await keep('2 s', 1);
  expect((await claimDueEvent(database.pool, 'one', ['T']))?.id).toBe(longest);
});

it('a released event gets all attempts again', async () => {
  const id = await keep('1 s', 8, new Date());
  expect(await releaseParkedEvents(database.pool, 'one', 5)).toBe(1);
  expect(await claimDueEvent(database.pool, 'one', ['T'])).toMatchObject({ id, attempts: 0 });
});
