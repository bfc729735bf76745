import { readFileSync } from 'node:fs';
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { Environment } from '@supplier/proto/common/v1/status';
import { SubmissionReceivedSchema } from '@supplier/proto/submission/v1/events';
import type pg from 'pg';
import { type Bus, connectBus, on, startSingleConsumer } from '../event-bus/index.ts';
import { newId } from '../ids/index.ts';
import type { SqlExecutor } from '../postgres/index.ts';
import { currentContext, runInContext } from '../request-context/index.ts';
import {
  createTestDatabase,
  eventually,
  startTestProcess,
  type TestDatabase,
  type TestProcess,
} from '../testing/index.ts';
import { appendEvent, newEvent, type OutboxEvent, republishSince, startRelay } from './index.ts';

const schema = readFileSync(new URL('outbox.sql', import.meta.url), 'utf8');

describe('outbox, relay, consumer and inbox', () => {
  let database: TestDatabase;
  let nats: NatsConnection;
  let manager: JetStreamManager;
  let service: TestProcess;
  let bus: Bus;
  /** A stream of this test's own, on the server that all tests share. */
  let stream: string;
  let applied: { eventId: string; requestId: string | undefined }[];
  let failures: number;

  beforeEach(async () => {
    const url = process.env.TEST_NATS_URL;
    if (!url) throw new Error('TEST_NATS_URL is not set: `npm test` starts a NATS server and sets it');
    database = await createTestDatabase({ schema });
    nats = await connect({ servers: url });
    manager = await jetstreamManager(nats);
    stream = `TEST${newId().replaceAll('-', '').slice(-12).toUpperCase()}`;
    applied = [];
    failures = 0;
    service = startTestProcess('outbox-test');
    bus = connectBus(service, url);
    startRelay(service, { pool: database.pool, databaseUrl: database.databaseUrl, bus, stream });
    startSingleConsumer(service, {
      bus,
      stream,
      consumer: 'tester',
      transaction: (work) => inTransaction(database.pool, work),
      handlers: [
        on(SubmissionReceivedSchema, async (event, applyOnce) => {
          await applyOnce(async () => {
            if (failures > 0) {
              failures -= 1;
              throw new Error('not yet');
            }
            applied.push({ eventId: event.id, requestId: currentContext()?.requestId });
          });
        }),
      ],
    });
  });
  afterEach(async () => {
    await service.stop();
    await manager.streams.delete(stream).catch(() => {});
    await nats.close();
    await database.close();
  });

  const received = (): OutboxEvent => ({
    ...newEvent(
      SubmissionReceivedSchema,
      { accountId: newId(), environment: Environment.SANDBOX },
      { aggregateId: newId(), aggregateVersion: 1n, occurredAt: new Date() },
    ),
    type: `supplier.${stream.toLowerCase()}.v1.SubmissionReceived`,
  });
  const commit = async (event = received()) => {
    await inTransaction(database.pool, (tx) => appendEvent(tx, event));
    return event.eventId;
  };
  const isApplied = (count: number) =>
    eventually(`${count} events are applied`, () => applied.length === count);
  const unpublished = async () =>
    (await database.pool.query('SELECT count(*)::int AS n FROM outbox WHERE published_at IS NULL')).rows[0].n;

  it('brings a committed event to its consumer, with the request id of its cause', async () => {
    const context = { requestId: 'request-1', traceParent: '' };
    const eventId = await runInContext(context, () => commit(received()));
    await isApplied(1);
    expect(applied).toEqual([{ eventId, requestId: 'request-1' }]);
    await eventually('the row is marked', async () => (await unpublished()) === 0);
  });

  it('publishes nothing of a transaction that was rolled back', async () => {
    const lost = received();
    const failing = inTransaction(database.pool, async (tx) => {
      await appendEvent(tx, lost);
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow();
    const kept = await commit();
    await isApplied(1);
    expect(applied.map(({ eventId }) => eventId)).toEqual([kept]);
  });

  it('applies an event once, however often it is published', async () => {
    await commit();
    await isApplied(1);
    expect(await republishSince(database.pool, new Date(0))).toBe(1);
    await eventually(
      'it is published again',
      async () => (await manager.streams.info(stream)).state.messages === 2,
    );
    await commit();
    await isApplied(2);
    expect(new Set(applied.map(({ eventId }) => eventId)).size).toBe(2);
  });

  it('refills a stream that was deleted with all its events, without being asked', async () => {
    await Promise.all(Array.from({ length: 300 }, () => commit()));
    await isApplied(300);
    await eventually('all are marked', async () => (await unpublished()) === 0);
    await manager.streams.delete(stream);
    await commit();
    await isApplied(301);
    await eventually(
      'the stream holds every event again',
      async () => (await manager.streams.info(stream).catch(() => undefined))?.state.messages === 301,
    );
    expect(applied).toHaveLength(301);
  });

  it('tries a failing event again, without its half-done effect', async () => {
    failures = 2;
    await commit();
    await isApplied(1);
    // The effect is seen before its transaction commits.
    const noted = await eventually('the event is noted', async () => {
      const { rows } = await database.pool.query('SELECT count(*)::int AS n FROM inbox');
      return rows[0].n > 0 && rows[0].n;
    });
    expect(noted).toBe(1);
  });

  it('puts aside at once what is no event', async () => {
    await commit();
    await isApplied(1);
    const deadLetters = nats.subscribe('supplier-dead.tester', { max: 1 });
    nats.publish(`supplier.${stream.toLowerCase()}.Nonsense`, new Uint8Array([255, 255, 255]));
    for await (const message of deadLetters) {
      expect([...message.data]).toEqual([255, 255, 255]);
    }
    await commit();
    await isApplied(2);
  });

  it('counts what it consumed by how it ended', async () => {
    failures = 1;
    await commit();
    await isApplied(1);
    nats.publish(`supplier.${stream.toLowerCase()}.Nonsense`, new Uint8Array([255, 255, 255]));
    const ended = (outcome: string) =>
      `sss_consumed_events_total{consumer="tester",stream="${stream}",outcome="${outcome}"} 1`;
    const page = await eventually('all are counted', async () => {
      const text = await service.metrics.metrics();
      return ['handled', 'failed', 'dead_lettered'].every((outcome) => text.includes(ended(outcome))) && text;
    });
    expect(page).toContain('sss_outbox_unpublished_events');
  });

  it('claims with several relays side by side and publishes each event once', async () => {
    const second = startTestProcess('second-relay');
    startRelay(second, { pool: database.pool, databaseUrl: database.databaseUrl, bus, stream });
    await Promise.all(Array.from({ length: 500 }, () => commit()));
    await isApplied(500);
    expect((await manager.streams.info(stream)).state.messages).toBe(500);
    await second.stop();
  });
});

/** In a service the outbox and the inbox speak through Prisma; here through a plain connection. */
async function inTransaction<Result>(
  pool: pg.Pool,
  work: (tx: SqlExecutor) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  const executor: SqlExecutor = {
    $executeRawUnsafe: async (query, ...values) => (await client.query(query, values)).rowCount ?? 0,
    $queryRawUnsafe: async <Rows>(query: string, ...values: unknown[]) =>
      (await client.query(query, values)).rows as Rows,
  };
  try {
    await client.query('BEGIN');
    const result = await work(executor);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}
