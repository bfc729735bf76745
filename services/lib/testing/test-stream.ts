import { readFileSync } from 'node:fs';
import { type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { SubmissionStatusChangedSchema } from '@supplier/proto/submission/v1/events';
import pg from 'pg';
import { configureDurable } from '../events/configure-streams/durable.ts';
import {
  type ConsumerOptions,
  connectBus,
  type DomainEvent,
  startConsumer,
} from '../events/event-bus/index.ts';
import { newEvent } from '../events/outbox/index.ts';
import { type NatsAccess, natsConnectOptions } from '../runtime/nats-access/index.ts';
import { type EventId, newId } from '../text/ids/index.ts';
import {
  databaseForTests,
  forEachTest,
  startTestProcess,
  type TestDatabase,
  type TestProcess,
  testNats,
} from './index.ts';

const SCHEMA = `${readFileSync(new URL('../events/outbox/outbox.sql', import.meta.url), 'utf8')}
${readFileSync(new URL('../events/event-bus/failed-events.sql', import.meta.url), 'utf8')}
CREATE TABLE effect (place bigserial, consumer text, event_id uuid, aggregate_id uuid, process text, UNIQUE (consumer, event_id))`;

type Schemas = readonly [typeof SubmissionStatusChangedSchema];
export type TestEvent = DomainEvent<{ $typeName: string }>;

/** For tests: a separate stream, a database, events to publish, and consumers that record each event they apply. */
export interface TestStream {
  readonly stream: string;
  readonly subject: string;
  readonly database: TestDatabase;
  readonly manager: JetStreamManager;
  /** Creates or repairs the durable of a consumer, as the command does. There is one of `tester` at first. */
  configure(consumer?: string): Promise<string>;
  /** Publishes `count` events in order, all of `aggregateId` if given. Resolves to their ids. */
  publish(count: number, aggregateId?: string): Promise<EventId[]>;
  /** Publishes raw bytes. */
  publishRaw(data: Uint8Array, name?: string): Promise<void>;
  /** Returns an event of a type that consumers may not know, with its bytes. */
  eventOf(type: string, aggregateId?: string): { id: EventId; data: Uint8Array };
  /**
   * Starts a consumer in a separate test process. `before` is called with each set in its transaction, before its
   * effects.
   */
  consume(options?: Partial<ConsumerOptions<Schemas>> & { before?: Before; nats?: NatsAccess }): TestConsumer;
  /** Returns the ids of the events that `consumer` has applied, in the order of their effects. */
  applied(consumer?: string): Promise<string[]>;
  /** Returns the rows of the table of failed events. */
  failed(): Promise<FailedRow[]>;
  /** Makes every failed event that is not parked due now. */
  hurry(): Promise<void>;
  close(): Promise<void>;
}

export interface TestConsumer {
  readonly process: TestProcess;
  readonly pool: pg.Pool;
  stop(): Promise<void>;
}

export interface FailedRow {
  readonly consumer: string;
  readonly event_id: string;
  readonly attempts: number;
  readonly parked_at: Date | null;
  readonly failure: string;
}

type Before = (events: readonly TestEvent[], tx: pg.PoolClient) => void | Promise<void>;

/** Opens a stream for each test. All tests of a file share a database, which is emptied before each. */
export function streamForTests(): TestStream {
  const database = databaseForTests({ schema: SCHEMA });
  return forEachTest(() => openTestStream(database));
}

async function openTestStream(database: TestDatabase): Promise<TestStream> {
  const nats = await connect(natsConnectOptions('test-stream', testNats()));
  const manager = await jetstreamManager(nats);
  const client = jetstream(nats);
  const name = `test${newId().replaceAll('-', '').slice(-12)}`;
  const stream = name.toUpperCase();
  const subject = `supplier.${name}.Received`;
  await manager.streams.add({ name: stream, subjects: [`supplier.${name}.>`] });
  const configure = (consumer = 'tester') => configureDurable(manager, { stream, consumer, subject });
  await configure();
  const consumers: TestConsumer[] = [];

  const query = async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) =>
    (await database.pool.query<Row>(text, values)).rows;

  function received(aggregateId: string = newId()) {
    return newEvent(
      SubmissionStatusChangedSchema,
      { accountId: newId() },
      {
        aggregateId,
        aggregateVersion: 1n,
        occurredAt: new Date(),
        context: { requestId: `of ${aggregateId}`, traceParent: '' },
      },
    );
  }

  return {
    stream,
    subject,
    database,
    manager,
    configure,
    async publish(count, aggregateId) {
      const events = Array.from({ length: count }, () => received(aggregateId));
      await Promise.all(events.map(({ envelope }) => client.publish(subject, envelope)));
      return events.map(({ eventId }) => eventId);
    },
    async publishRaw(data, last = 'Received') {
      await client.publish(`supplier.${name}.${last}`, data);
    },
    eventOf(type, aggregateId) {
      const { eventId, envelope } = newEvent(
        { ...SubmissionStatusChangedSchema, typeName: type } as typeof SubmissionStatusChangedSchema,
        {},
        {
          aggregateId: aggregateId ?? newId(),
          aggregateVersion: 1n,
          occurredAt: new Date(),
        },
      );
      return { id: eventId, data: envelope };
    },
    consume({ before, nats: access = testNats(), ...options } = {}) {
      const service = startTestProcess('test-consumer');
      const pool = new pg.Pool({
        pipeline: true,
        connectionString: database.databaseUrl,
        max: 4,
        connectionTimeoutMillis: 2_000,
        statement_timeout: 1_000,
      });
      pool.on('error', () => {});
      pool.on('connect', (connection) => connection.on('error', () => {}));
      const consumer = options.consumer ?? 'tester';
      startConsumer(service, {
        bus: connectBus(service, access),
        stream,
        consumer,
        subject,
        pool,
        isAuthentic: () => true,
        events: [SubmissionStatusChangedSchema],
        async apply(tx, events) {
          await before?.(events, tx);
          await tx.query(
            `INSERT INTO effect (consumer, process, event_id, aggregate_id) SELECT $1, $2, e, a FROM unnest($3::uuid[], $4::uuid[]) AS g (e, a)
             ON CONFLICT DO NOTHING`,
            [
              consumer,
              service.name,
              events.map(({ id }) => id),
              events.map(({ aggregateId }) => aggregateId),
            ],
          );
        },
        ...options,
      });
      let stopped: Promise<void> | undefined;
      const started = {
        process: service,
        pool,
        stop: () => {
          stopped ??= service.stop().then(() => pool.end());
          return stopped;
        },
      };
      consumers.push(started);
      return started;
    },
    async applied(consumer = 'tester') {
      const rows = await query<{ event_id: string }>(
        'SELECT event_id FROM effect WHERE consumer = $1 ORDER BY place',
        [consumer],
      );
      return rows.map(({ event_id }) => event_id);
    },
    failed: () =>
      query<FailedRow>(
        'SELECT consumer, event_id, attempts, parked_at, failure FROM failed_event ORDER BY seq',
      ),
    async hurry() {
      // One by one, so that the rows are stored in the opposite order of receipt.
      await query(`DO $$ DECLARE kept bigint; BEGIN
        FOR kept IN SELECT seq FROM failed_event WHERE parked_at IS NULL ORDER BY seq DESC LOOP
          UPDATE failed_event SET due_at = now() WHERE seq = kept AND parked_at IS NULL;
        END LOOP; END $$`);
    },
    async close() {
      await Promise.all(consumers.map((consumer) => consumer.stop()));
      await manager.streams.delete(stream).catch(() => {});
      await nats.close();
    },
  };
}
