import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Code, ConnectError } from '@connectrpc/connect';
import { DocumentFinalizedSchema } from '@supplier/proto/document/v1/events';
import { SubmissionStatusChangedSchema } from '@supplier/proto/submission/v1/events';
import pg from 'pg';
import { retryDelayMs } from '../../data/queues/index.ts';
import { eventually } from '../../testing/index.ts';
import { streamForTests, type TestConsumer, type TestEvent } from '../../testing/test-stream.ts';
import { newId } from '../../text/ids/index.ts';
import { RefusedEvent } from './consumer-options.ts';
import { deleteUnauthenticated, EVENT_RETRY_DELAYS, releaseParkedEvents } from './failed-events.ts';

/** Due events are polled once a second, so seven retries take at least seven seconds. */
const PARKED_WITHIN_MS = 60_000;
const REDRIVE = fileURLToPath(new URL('redrive.ts', import.meta.url));

describe('failed event', () => {
  const test = streamForTests();
  /** Ids of events, or of their aggregates, that cannot be applied. */
  let poison: Set<string>;
  const failForPoison = (events: readonly TestEvent[]) => {
    if (events.some(({ id, aggregateId }) => poison.has(id) || poison.has(aggregateId))) {
      throw new TypeError('Jane Doe has no such field');
    }
  };
  beforeEach(() => {
    poison = new Set();
  });

  const applied = (count: number, consumer?: string) =>
    eventually(`${count} are applied`, async () => (await test.applied(consumer)).length === count);
  const parked = (id: string | undefined) =>
    eventually(
      'it is parked',
      async () => {
        await test.hurry();
        return (await test.failed()).find(({ event_id, parked_at }) => event_id === id && parked_at);
      },
      PARKED_WITHIN_MS,
    );
  /** Parks an event, skipping all attempts but the first and the last. */
  const parkedSoon = async (id: string | undefined) => {
    await eventually('it is kept', async () => (await test.failed()).some(({ event_id }) => event_id === id));
    await test.database.pool.query('UPDATE failed_event SET attempts = 7 WHERE event_id = $1', [id]);
    return parked(id);
  };
  const lines = ({ process }: TestConsumer, message: string) =>
    process.lines.filter(({ msg }) => msg === message);

  it('fails separately, is attempted eight times and is parked with its reason', async () => {
    const ids = await test.publish(63);
    const aggregate = newId();
    const [bad] = await test.publish(1, aggregate);
    poison.add(bad ?? '');
    const consumer = test.consume({ before: failForPoison });
    await applied(63);
    expect(await test.applied()).toEqual(ids);
    expect(await test.manager.consumers.info(test.stream, 'tester')).toMatchObject({ num_redelivered: 0 });
    const row = await parked(bad);
    expect(row).toMatchObject({
      attempts: 8,
      failure: expect.stringMatching(/^TypeError at .*failed-events\.test\.ts/),
    });
    expect(row.failure).not.toContain('Jane');
    const said = await eventually('it is said', () => lines(consumer, 'event dead-lettered')[0]);
    expect(said).toMatchObject({ level: 'error', event_id: bad, attempt: 8, request_id: `of ${aggregate}` });
    expect(lines(consumer, 'event failed')).toHaveLength(7);
    const page = await eventually('the gauge shows it', async () => {
      const text = await consumer.process.metrics.metrics();
      return text.includes('sss_failed_events{consumer="tester",state="parked"} 1') && text;
    });
    expect(page).toMatch(/sss_consumed_events_total\{[^}]*outcome="failed"\} 7/);
    expect(page).toMatch(/sss_consumed_events_total\{[^}]*outcome="parked"\} 1/);
  }, 90_000);

  it('is parked immediately when refused and does not block others of its aggregate', async () => {
    const aggregate = newId();
    const ids = await test.publish(3, aggregate);
    const consumer = test.consume({
      before: (events) => {
        if (events.some(({ id }) => id === ids[0])) throw new RefusedEvent('event names a stranger');
      },
    });
    await applied(2);
    expect(await test.applied()).toEqual(ids.slice(1));
    const [row] = await test.failed();
    expect(row).toMatchObject({ event_id: ids[0], attempts: 1, parked_at: expect.anything() });
    expect(row?.failure).toMatch(/^RefusedEvent event names a stranger at /);
    expect(lines(consumer, 'event dead-lettered')).toMatchObject([{ level: 'error', event_id: ids[0] }]);
    expect(lines(consumer, 'event failed')).toEqual([]);
    await test.database.pool.query('UPDATE failed_event SET parked_at = NULL, due_at = clock_timestamp()');
    await eventually('it is parked again', async () => (await test.failed())[0]?.attempts === 2);
    expect((await test.failed())[0]?.parked_at).not.toBeNull();
  });

  it('is applied once possible, without the partial effect of earlier attempts, and is then removed', async () => {
    const [id] = await test.publish(1);
    poison.add(id ?? '');
    test.consume({
      before: async (events, tx) => {
        await tx.query("INSERT INTO effect (consumer) VALUES ('half')");
        failForPoison(events);
      },
    });
    await eventually('it is kept', async () => (await test.failed())[0]?.attempts === 1);
    poison.clear();
    await applied(1);
    expect(await test.failed()).toEqual([]);
    expect(await test.applied('half')).toHaveLength(1);
  });

  it('blocks later events of only its own aggregate until it is applied', async () => {
    const aggregate = newId();
    const [first] = await test.publish(1, aggregate);
    poison.add(first ?? '');
    test.consume({ before: failForPoison });
    await eventually('it is kept', async () => (await test.failed()).length === 1);
    const later = await test.publish(2, aggregate);
    const others = await test.publish(1);
    let another: string | undefined;
    /** Publishes another event and waits until it fails twice: all due events have been attempted by then. */
    const anotherRetried = async () => {
      [another] = await test.publish(1);
      poison.add(another ?? '');
      await eventually('another is tried again', async () =>
        (await test.failed()).some(({ event_id, attempts }) => event_id === another && attempts === 2),
      );
    };
    await applied(1);
    await eventually('the later ones wait', async () => (await test.failed()).length === 3);
    await test.database.pool.query(
      "UPDATE failed_event SET due_at = now() + interval '1 hour' WHERE event_id = $1",
      [first],
    );
    await anotherRetried();
    expect(await test.applied()).toEqual(others);
    poison.clear();
    await test.hurry();
    await applied(5);
    expect((await test.applied()).filter((id) => id !== another)).toEqual([...others, first, ...later]);
    expect(await test.failed()).toEqual([]);
  });

  it('is applied before the later events of its aggregate in the same set', async () => {
    const ids = await test.publish(3, newId());
    poison = new Set(ids.slice(0, 1));
    test.consume({ before: failForPoison });
    await eventually('all are kept', async () => (await test.failed()).length === 3);
    poison.clear();
    await test.hurry();
    await applied(3);
    expect(await test.applied()).toEqual(ids);
  });

  it('unblocks later events of its aggregate when it is parked', async () => {
    const aggregate = newId();
    const ids = await test.publish(2, aggregate);
    poison.add(ids[0] ?? '');
    const { process: service } = test.consume({ before: failForPoison });
    await parkedSoon(ids[0]);
    await applied(1);
    const afterwards = await test.publish(1, aggregate);
    await applied(2);
    expect(await test.applied()).toEqual([...ids.slice(1), ...afterwards]);
    expect(await service.metrics.metrics()).toMatch(/sss_consumed_events_total\{[^}]*outcome="waiting"\} 1/);
  });

  it('does not block the stream: the next event after 100 failures is applied promptly', async () => {
    poison = new Set(await test.publish(100));
    const ids = await test.publish(20);
    test.consume({ before: failForPoison });
    await eventually('the good ones are applied', async () => (await test.applied()).length === 20);
    expect(await test.applied()).toEqual(ids);
    expect(await test.failed()).toHaveLength(100);
    const info = () => test.manager.consumers.info(test.stream, 'tester');
    await eventually('all are acknowledged', async () => (await info()).num_ack_pending === 0);
  });

  it('is distinguished from an unavailable dependency, which counts no attempt and stops consumption', async () => {
    let unavailable = true;
    let calls = 0;
    const consumer = test.consume({
      before: () => {
        calls += 1;
        if (unavailable) throw new ConnectError('unavailable', Code.Unavailable);
      },
    });
    const ids = await test.publish(10);
    await eventually('it was tried several times', () => calls > 3);
    expect(await test.failed()).toEqual([]);
    expect(lines(consumer, 'dependency unavailable')).toHaveLength(1);
    unavailable = false;
    await applied(10);
    expect(await test.applied()).toEqual(ids);
    expect(lines(consumer, 'dependency available again')).toHaveLength(1);
  });

  it('counts no attempt while the database is unavailable', async () => {
    const [id] = await test.publish(1);
    poison.add(id ?? '');
    const consumer = test.consume({ before: failForPoison });
    await eventually('it is kept', async () => (await test.failed())[0]?.attempts === 1);
    await database('ALLOW_CONNECTIONS false');
    await eventually('it is noticed', () => lines(consumer, 'dependency unavailable').length > 0);
    poison.clear();
    const others = await test.publish(5);
    await database('ALLOW_CONNECTIONS true');
    await applied(6);
    expect((await test.applied()).toSorted()).toEqual([id, ...others].toSorted());
    expect(await test.failed()).toEqual([]);
    expect(lines(consumer, 'event failed')).toHaveLength(1);
  });

  /** Rejects or allows connections to the database, and ends the open ones in both cases. */
  async function database(setting: string): Promise<void> {
    const server = new pg.Client({ connectionString: process.env.TEST_POSTGRES_URL });
    await server.connect();
    const name = new URL(test.database.databaseUrl).pathname.slice(1);
    await server.query(`ALTER DATABASE ${name} WITH ${setting}`);
    await server.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
    await server.end();
  }

  it('counts no attempt when the database is lost between two statements', async () => {
    let isFirst = true;
    const consumer = test.consume({
      before: async (_, tx) => {
        if (!isFirst) return;
        isFirst = false;
        await database('ALLOW_CONNECTIONS false');
        const says = (text: string) => (error: Error) => error.message.includes(text);
        await eventually('it is noticed', () =>
          tx.query('SELECT 1').then(() => false, says('not queryable')),
        );
      },
    });
    const ids = await test.publish(1);
    await eventually('it pauses', () => lines(consumer, 'dependency unavailable').length > 0);
    await database('ALLOW_CONNECTIONS true');
    await applied(1);
    expect(await test.applied()).toEqual(ids);
    expect(lines(consumer, 'failed event not stored')).toEqual([]);
    expect(lines(consumer, 'event failed')).toEqual([]);
  });

  it('counts a statement timeout of a single event as its failure', async () => {
    const ids = await test.publish(3);
    test.consume({
      before: async (events, tx) => {
        if (!events.some(({ id }) => id === ids[1])) return;
        await tx.query('SET LOCAL statement_timeout = 50');
        await tx.query('SELECT pg_sleep(5)');
      },
    });
    await applied(2);
    const row = await eventually('it is kept', async () => (await test.failed())[0]);
    expect(row).toMatchObject({ event_id: ids[1], failure: expect.stringContaining('57014') });
  });

  it('is kept without blocking others if its type is unknown, and is applied by a version that knows it', async () => {
    const aggregate = newId();
    const unknown = test.eventOf(DocumentFinalizedSchema.typeName, aggregate);
    await test.publishRaw(unknown.data);
    const [known] = await test.publish(1, aggregate);
    const old = test.consume({ events: [SubmissionStatusChangedSchema] });
    await applied(1);
    expect(await test.applied()).toEqual([known]);
    expect(await test.failed()).toMatchObject([{ event_id: unknown.id, attempts: 0, parked_at: null }]);
    await old.stop();
    const types: string[] = [];
    const note = (events: readonly TestEvent[]) => {
      types.push(...events.map(({ message }) => message.$typeName));
    };
    test.consume({
      events: [SubmissionStatusChangedSchema, DocumentFinalizedSchema] as never,
      before: note,
    });
    await applied(2);
    expect(await test.applied()).toEqual([known, unknown.id]);
    expect(types).toEqual([DocumentFinalizedSchema.typeName]);
    expect(await test.failed()).toEqual([]);
  });

  it.each([
    ['no envelope', Uint8Array.of(255, 255, 255)],
    ['an empty message', new Uint8Array()],
  ])('is parked immediately when it is %s, even if redelivered', async (_, data) => {
    await test.publishRaw(data);
    const first = test.consume();
    await eventually('it is parked', async () => (await test.failed())[0]?.parked_at);
    await first.stop();
    await test.manager.consumers.delete(test.stream, 'tester');
    await test.configure();
    test.consume();
    await test.publish(1);
    await applied(1);
    expect(await test.failed()).toMatchObject([{ attempts: 0, failure: 'cannot be read as an event' }]);
  });

  it('that is not authentic is kept as evidence, never redriven, and deleted on request', async () => {
    const { stop } = test.consume({ isAuthentic: () => false });
    await test.publish(2);
    await eventually('both are kept', async () => (await test.failed()).length === 2);
    expect(await releaseParkedEvents(test.database.pool, 'tester', 100)).toBe(0);
    expect(await redrive('--consumer', 'tester', '--list')).toMatch(/^parked \S+ unauthenticated of unknown/);
    await stop();
    // Not even a consumer that would accept it applies it.
    await test.database.pool.query('UPDATE failed_event SET parked_at = NULL');
    test.consume();
    const [genuine] = await test.publish(1);
    await applied(1);
    expect(await test.applied()).toEqual([genuine]);
    expect(await deleteUnauthenticated(test.database.pool, 'nobody')).toBe(0);
    expect(await redrive('--consumer', 'tester', '--delete-unauthenticated')).toContain('2 unauth');
    expect(await test.failed()).toEqual([]);
  });

  it('is redriven only for the given consumer', async () => {
    const [bad, good] = await test.publish(2);
    poison.add(bad ?? '');
    for (const consumer of ['one', 'other']) await test.configure(consumer);
    test.consume({ consumer: 'one', before: failForPoison });
    test.consume({ consumer: 'other', before: failForPoison });
    await eventually('both keep it', async () => (await test.failed()).length === 2);
    await test.database.pool.query('UPDATE failed_event SET attempts = 7');
    await eventually('both have parked it', async () => {
      await test.hurry();
      return (await test.failed()).every(({ parked_at }) => parked_at);
    });
    poison.clear();
    const listed = JSON.parse(await redrive('--consumer', 'one', '--list', '--json'));
    expect(listed.events).toMatchObject([
      { eventId: bad, type: SubmissionStatusChangedSchema.typeName, state: 'parked', attempts: 8 },
    ]);
    expect(JSON.stringify(listed)).not.toContain('envelope');
    expect(await releaseParkedEvents(test.database.pool, 'nobody', 100)).toBe(0);
    expect(await redrive('--consumer', 'one')).toContain('1 parked events');
    await applied(2, 'one');
    expect(await test.applied('one')).toEqual([good, bad]);
    expect(await test.applied('other')).toEqual([good]);
    expect(await test.failed()).toMatchObject([
      { consumer: 'other', attempts: 8, parked_at: expect.any(Date) },
    ]);
  });

  async function redrive(...args: string[]): Promise<string> {
    const env = { ...process.env, SSS_DEPLOYMENT: 'local', SSS_DATABASE_URL: test.database.databaseUrl };
    return (await promisify(execFile)(process.execPath, [REDRIVE, ...args], { env })).stdout;
  }

  it('slows the consumer down when all events fail, until any succeeds, including a retried one', async () => {
    let broken = true;
    const consumer = test.consume({
      before: () => {
        if (broken) throw new Error('a fault of ours');
      },
    });
    await test.publish(64);
    await eventually('it slows down', () => lines(consumer, 'consumer slowed down').length > 0);
    broken = false;
    await test.hurry();
    await applied(64);
    expect(lines(consumer, 'consumer slowed down')).toHaveLength(1);
    expect(lines(consumer, 'consumer resumed')).toHaveLength(1);
  });
});

describe('retryDelayMs', () => {
  it('grows from one second to one hour and ends after the eighth attempt', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7].map((attempts) => retryDelayMs(EVENT_RETRY_DELAYS, attempts) ?? 0);
    expect(waits).toEqual(waits.toSorted((a, b) => a - b));
    expect([waits[0], waits.at(-1), retryDelayMs(EVENT_RETRY_DELAYS, 8)]).toEqual([
      1_000,
      3_600_000,
      undefined,
    ]);
  });
});
