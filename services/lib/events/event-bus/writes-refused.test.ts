import { eventually } from '../../testing/index.ts';
import { streamForTests, type TestConsumer } from '../../testing/test-stream.ts';

const test = streamForTests();
afterEach(() => acceptWrites());

const lines = ({ process }: TestConsumer, msg: string) => process.lines.filter((line) => line.msg === msg);

/** Makes the database reject writes of failures while it stays available. */
async function refuseWrites(): Promise<void> {
  await test.database.pool.query(`
    CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$;
    CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON failed_event FOR EACH ROW EXECUTE FUNCTION refuse();`);
}

const acceptWrites = () => test.database.pool.query('DROP TRIGGER IF EXISTS refuse ON failed_event');

/** Waits for a second attempt and expects the shortest pause before it. */
async function expectPause(tries: readonly number[]): Promise<void> {
  const [first = 0, second = 0] = await eventually('it is tried again', () => tries.length >= 2 && tries);
  expect(second - first).toBeGreaterThan(990);
}

describe('event whose failure cannot be stored', () => {
  it('is retried from the table after a pause and reported once', async () => {
    const tries: number[] = [];
    const consumer = test.consume({
      before: () => {
        tries.push(performance.now());
        throw new Error('a bad event');
      },
    });
    await test.publish(1);
    await eventually('it is kept', async () => (await test.failed()).length === 1);
    await refuseWrites();
    tries.length = 0;
    const attempts = Number((await test.failed())[0]?.attempts);
    await expectPause(tries);
    expect(lines(consumer, 'failed attempt not stored')).toHaveLength(1);
    await acceptWrites();
    await eventually('its failure is noted', async () => (await test.failed())[0]?.attempts === attempts + 1);
  });

  it('is redelivered from the stream after a pause and reported once', async () => {
    const tries: number[] = [];
    await refuseWrites();
    const consumer = test.consume({
      before: () => {
        tries.push(performance.now());
        throw new Error('a bad event');
      },
    });
    await test.publish(1);
    await expectPause(tries);
    expect(lines(consumer, 'failed event not stored')).toHaveLength(1);
    await acceptWrites();
    await eventually('it is kept', async () => (await test.failed()).length === 1);
  });

  it('does not block events delivered with it', async () => {
    await refuseWrites();
    const bad = await test.publish(5);
    const good = await test.publish(1);
    test.consume({
      before: (events) => {
        if (events.some(({ id }) => bad.includes(id))) throw new Error('a bad event');
      },
    });
    await eventually('the good one is applied', async () => (await test.applied()).length > 0);
    expect(await test.applied()).toEqual(good);
  });
});
