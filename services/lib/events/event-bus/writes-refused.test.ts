import { eventually, timed } from '../../testing/index.ts';
import { openTestStream, type TestConsumer, type TestStream } from '../../testing/test-stream.ts';

let test: TestStream;
beforeEach(async () => {
  test = await openTestStream();
});
afterEach(() => test.close());

const lines = ({ process }: TestConsumer, msg: string) => process.lines.filter((line) => line.msg === msg);

/** Makes the database reject writes of failures while it stays available. */
async function refuseWrites(): Promise<void> {
  await test.database.pool.query(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$;
    CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON failed_event FOR EACH ROW EXECUTE FUNCTION refuse();`);
}

const acceptWrites = () => test.database.pool.query('DROP TRIGGER refuse ON failed_event');

/** Waits for three attempts and expects the second pause to be longer than the first. */
async function expectGrowingPauses(tries: readonly number[]): Promise<void> {
  const [first = 0, second = 0, third = 0] = await eventually(
    'it is tried a third time',
    () => tries.length >= 3 && tries,
  );
  expect(second - first).toBeGreaterThan(990);
  expect(third - second).toBeGreaterThan(1_990);
}

describe('event whose failure cannot be stored', () => {
  it('is retried from the table after growing pauses and reported once', async () => {
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
    await expectGrowingPauses(tries);
    expect(lines(consumer, 'failed attempt not stored')).toHaveLength(1);
    await acceptWrites();
    await eventually('its failure is noted', async () => (await test.failed())[0]?.attempts === attempts + 1);
  });

  it('is redelivered from the stream after growing pauses and reported once', async () => {
    const tries: number[] = [];
    await refuseWrites();
    const consumer = test.consume({
      before: () => {
        tries.push(performance.now());
        throw new Error('a bad event');
      },
    });
    await test.publish(1);
    await expectGrowingPauses(tries);
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

  it('resets the pause after another event is applied', async () => {
    await refuseWrites();
    const tries: number[] = [];
    let isBroken = true;
    const consumer = test.consume({
      before: () => {
        tries.push(performance.now());
        if (isBroken) throw new Error('a bad event');
      },
    });
    await test.publish(1);
    await eventually('it is tried again', () => tries.length === 2);
    isBroken = false;
    await eventually('it is applied', async () => (await test.applied()).length === 1);
    isBroken = true;
    tries.length = 0;
    await test.publish(1);
    await eventually('the other is tried', () => tries.length > 0);
    const { ms } = await timed(() => eventually('the other is tried again', () => tries.length > 1));
    expect(ms).toBeLessThan(3_000);
    expect(lines(consumer, 'failed event not stored')).toHaveLength(1);
  });
});
