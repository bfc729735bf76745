import { readFileSync } from 'node:fs';
import { type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { SubmissionStatusChangedSchema } from '@supplier/proto/submission/v1/events';
import pg from 'pg';
import { inTransaction } from '../data/postgres/index.ts';
import { configureStream } from '../events/configure-streams/stream.ts';
import { connectBus, DEFAULT_STREAM_SETTINGS } from '../events/event-bus/index.ts';
import { appendEvents, newEvent, type OutboxEvent, type Relay, startRelay } from '../events/outbox/index.ts';
import { maintainPartitions } from '../events/outbox/partitions.ts';
import type { RelayOptions } from '../events/outbox/relay.ts';
import { natsConnectOptions } from '../runtime/nats-access/index.ts';
import { newId } from '../text/ids/index.ts';
import {
  databaseForTests,
  eventually,
  forEachTest,
  startTestProcess,
  type TestDatabase,
  type TestProcess,
  testNats,
} from './index.ts';

export const SCHEMA = readFileSync(new URL('../events/outbox/outbox.sql', import.meta.url), 'utf8');
export const KEEP_DAYS = 7;

/** A message of the stream. */
export interface Held {
  readonly seq: number;
  readonly messageId: string;
  /** The part of the message id that identifies the event. */
  readonly eventId: string;
  readonly subject: string;
  readonly data: Uint8Array;
}

export interface TestRelay extends Relay {
  readonly process: TestProcess;
  stop(): Promise<void>;
}

/** For tests: an outbox, and a separate stream on the server that all tests share. */
export interface TestOutbox {
  readonly database: TestDatabase;
  readonly nats: NatsConnection;
  readonly manager: JetStreamManager;
  readonly stream: string;
  /** Creates or repairs the stream, as the command does. It exists at first. */
  configure(): Promise<string>;
  /** Opens a separate connection pool. */
  pool(): pg.Pool;
  relay(options?: Partial<RelayOptions>): TestRelay;
  event(): OutboxEvent;
  /** Commits events and resolves to their ids. */
  commit(count?: number): Promise<string[]>;
  /** Appends events to the outbox within a transaction. */
  append(tx: pg.PoolClient, events: readonly OutboxEvent[]): Promise<void>;
  pending(): Promise<number>;
  published(): Promise<number>;
  refills(): Promise<number>;
  generation(): Promise<number>;
  /** Resolves once everything is published and nothing is being refilled. */
  settled(): Promise<void>;
  /** Returns the messages of the stream, in order. */
  held(): Promise<Held[]>;
  /** Adds `count` events that were published one by one some time ago, in generation 0. */
  fillPublished(count: number): Promise<void>;
  close(): Promise<void>;
}

/** Opens an outbox for each test. All tests of a file share a database, which is emptied before each. */
export function outboxForTests(): TestOutbox {
  const database = databaseForTests({ schema: SCHEMA });
  return forEachTest(() => openTestOutbox(database));
}

async function openTestOutbox(database: TestDatabase): Promise<TestOutbox> {
  await maintainPartitions(database.pool, KEEP_DAYS);
  const nats = await connect(natsConnectOptions('test-outbox', testNats()));
  // A busy machine may stall for seconds.
  const manager = await jetstreamManager(nats, { timeout: 60_000 });
  const name = `test${newId().replaceAll('-', '').slice(-12)}`;
  const stream = name.toUpperCase();
  const configure = () => configureStream(manager, stream, DEFAULT_STREAM_SETTINGS);
  await configure();
  const closing: (() => Promise<void>)[] = [];

  const count = async (sql: string) => Number((await database.pool.query(sql)).rows[0]?.count ?? 0);
  const pending = () => count('SELECT count(*) FROM outbox');
  const published = () => count('SELECT sum(cardinality(event_ids)) AS count FROM published_batch');
  const refills = () => count('SELECT count(*) FROM outbox_refill');

  const event = () => ({
    ...newEvent(
      SubmissionStatusChangedSchema,
      { accountId: newId() },
      { aggregateId: newId(), aggregateVersion: 1n, occurredAt: new Date() },
    ),
    subject: `supplier.${name}.SubmissionStatusChanged`,
  });
  const append = (tx: pg.PoolClient, events: readonly OutboxEvent[]) => appendEvents(tx, events);

  return {
    database,
    nats,
    manager,
    stream,
    configure,
    event,
    append,
    pending,
    published,
    refills,
    pool() {
      const pool = new pg.Pool({
        pipeline: true,
        connectionString: database.databaseUrl,
        max: 5,
      });
      pool.on('error', () => {});
      closing.push(() => pool.end());
      return pool;
    },
    relay(options = {}) {
      const service = startTestProcess('test-relay');
      const relay = startRelay(service, {
        pool: database.pool,
        bus: connectBus(service, testNats()),
        stream,
        ...options,
      });
      let stopped: Promise<void> | undefined;
      const stop = () => {
        stopped ??= service.stop();
        return stopped;
      };
      closing.unshift(stop);
      return { ...relay, process: service, stop };
    },
    async commit(number = 1) {
      const events = Array.from({ length: number }, event);
      await inTransaction(database.pool, (tx) => append(tx, events));
      return events.map(({ eventId }) => eventId);
    },
    generation: () => count('SELECT max(generation) AS count FROM outbox_stream'),
    settled: async () => {
      await eventually(
        'all events are published',
        async () => (await pending()) === 0 && (await refills()) === 0,
      );
    },
    async held() {
      const { state } = await manager.streams.info(stream);
      if (state.messages === 0) return [];
      const consumer = await jetstream(nats).consumers.get(stream);
      const held: Held[] = [];
      for await (const message of await consumer.consume()) {
        const messageId = message.headers?.get('Nats-Msg-Id') ?? '';
        const [eventId = ''] = messageId.split('.');
        held.push({ seq: message.seq, messageId, eventId, subject: message.subject, data: message.data });
        if (message.info.pending === 0) break;
      }
      return held;
    },
    async fillPublished(number) {
      await database.pool.query(
        `WITH made AS (
           INSERT INTO domain_event (event_id, aggregate_id, type, subject, envelope)
           SELECT overlay(gen_random_uuid()::text PLACING left(event_id_floor(at)::text, 13) FROM 1)::uuid,
                  gen_random_uuid(), 'x', $1, decode(repeat(md5(n::text), 20), 'hex')
           FROM (SELECT n, now() - ($2 - n) * interval '1 millisecond' - interval '1 hour' AS at
                 FROM generate_series(1, $2::int) AS n) AS times RETURNING event_id)
         INSERT INTO published_batch (batch_id, generation, event_ids, stream_seqs)
         SELECT event_id, 0, ARRAY[event_id], ARRAY[row_number() OVER (ORDER BY event_id)] FROM made`,
        [`supplier.${name}.SubmissionStatusChanged`, number],
      );
    },
    async close() {
      for (const end of closing) await end();
      await manager.streams.delete(stream).catch(() => {});
      await nats.close();
    },
  };
}
