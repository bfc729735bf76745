import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { keepStreams } from '@supplier/lib/events/configure-streams';
import {
  connectBus,
  EVENTS_ACCOUNT,
  SUBSCRIPTIONS,
  startConsumer,
  unchecked,
} from '@supplier/lib/events/event-bus';
import { appending, eventValues, newEvent, startRelay } from '@supplier/lib/events/outbox';
import { createTestDatabase, eventually, startTestProcess, type TestProcess } from '@supplier/lib/testing';
import { newId } from '@supplier/lib/text/ids';
import { SubmissionStatusChangedSchema } from '@supplier/proto/submission/v1/events';
import { makeCutDisk, syncTree } from './cut-disk.ts';
import { startTestNatsServer } from './test-server.ts';

const sqlOf = (path: string) =>
  readFileSync(new URL(`../../../../services/lib/${path}`, import.meta.url), 'utf8');
const SCHEMA = `${sqlOf('events/outbox/outbox.sql')} ${sqlOf('events/event-bus/failed-events.sql')}
CREATE TABLE effect (consumer text, event_id uuid, UNIQUE (consumer, event_id))`;
const STREAM = SUBSCRIPTIONS.webhook.stream;
const CONSUMERS = ['webhook', 'billing'] as const;
/** Nothing arrives after this: a durable consumer that skips an event never delivers it. */
const APPLIED_MS = 60_000;
type Consumer = (typeof CONSUMERS)[number];

/** Events from an outbox, through a NATS with simulated power cuts, to two consumers that record what they apply. */
export interface CuttableEvents {
  /** Starts a relay, as a replica of the service does. */
  relay(): TestProcess;
  consume(consumer: Consumer): void;
  /** Commits events to the outbox: for webhook, and every second one for billing as well. */
  commit(count: number): Promise<void>;
  /** Resolves once nothing remains to be published or republished. */
  published(): Promise<void>;
  /** Resolves once both consumers have applied everything; throws on timeout, or if something was applied twice. */
  appliedOnce(): Promise<void>;
  /** Pauses billing, so that it falls behind. */
  hold(): void;
  letGo(): void;
  /** Resolves once a consumer has acknowledged all of its events in the stream. */
  settled(consumer: Consumer): Promise<void>;
  /** Returns a path in the folder where NATS stores the stream. */
  folder(...path: string[]): string;
  /** Syncs everything to disk. */
  sync(): void;
  /** Syncs the consumers' acknowledgements to disk, once NATS has written the ones of `consumer` up to a position. */
  syncConsumers(consumer: Consumer, through: number): Promise<void>;
  /** Cuts the power, and restarts NATS from the disk after `spoil` has changed it. */
  cut(spoil?: () => void): Promise<void>;
  close(): Promise<void>;
}

export async function openCuttableEvents(syncInterval: string): Promise<CuttableEvents> {
  const closing: (() => unknown)[] = [];
  const close = async () => {
    letGo();
    const failures: unknown[] = [];
    // A failure must not prevent the others from being closed.
    for (const end of closing.splice(0).toReversed())
      await Promise.resolve()
        .then(end)
        .catch((error) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  };
  const committed: Readonly<Record<Consumer, Set<string>>> = { webhook: new Set(), billing: new Set() };
  let held: PromiseWithResolvers<void> | undefined;
  const letGo = () => {
    held?.resolve();
    held = undefined;
  };

  const database = await createTestDatabase({ schema: SCHEMA });
  const { pool } = database;
  closing.push(() => database.close());
  // As after a migration: an insert can fail while its day's partition is added.
  await eventually('all partitions exist', async () => {
    const { rows } = await pool.query('SELECT maintain_event_partitions(7, 3) AS said');
    return rows[0]?.said !== 'changed';
  });
  const { disk, nats } = await startNats(syncInterval, closing).catch(async (error) => {
    await close();
    throw error;
  });
  const streams = await keepStreams(nats.accessOf('streams'), { warn: console.warn });
  closing.push(() => streams.close());
  const administrator = connectBus(start('administrator'), nats.administrator);

  function start(name: string): TestProcess {
    const process = startTestProcess(name);
    closing.push(() => process.stop());
    return process;
  }

  const folder = (...path: string[]) =>
    join(disk.path, 'jetstream', EVENTS_ACCOUNT, 'streams', STREAM, ...path);

  async function published(): Promise<void> {
    await eventually('all events are published', async () => {
      const { rows } = await pool.query('SELECT FROM outbox UNION ALL SELECT FROM outbox_refill LIMIT 1');
      return rows.length === 0;
    });
  }

  async function appliedBy(consumer: Consumer): Promise<string[]> {
    const { rows } = await pool.query('SELECT event_id FROM effect WHERE consumer = $1', [consumer]);
    return rows.map(({ event_id }) => event_id);
  }

  return {
    relay() {
      const process = start('submission');
      const bus = connectBus(process, nats.accessOf('submission'));
      startRelay(process, { pool, bus, stream: STREAM, pollMs: 50 });
      return process;
    },
    consume(consumer) {
      const process = start(consumer);
      startConsumer(process, {
        bus: connectBus(process, nats.accessOf(consumer)),
        ...SUBSCRIPTIONS[consumer],
        pool,
        isAuthentic: unchecked,
        events: [SubmissionStatusChangedSchema],
        async apply(tx, events) {
          if (consumer === 'billing') await held?.promise;
          const ids = events.map(({ id }) => id);
          await tx.query('INSERT INTO effect SELECT $1, unnest($2::uuid[]) ON CONFLICT DO NOTHING', [
            consumer,
            ids,
          ]);
        },
      });
    },
    async commit(count) {
      for (let n = 0; n < count; n += 1) {
        const about = { aggregateId: newId(), aggregateVersion: 1n, occurredAt: new Date() };
        const facet = n % 2 === 0 ? 'billing' : 'status';
        const event = newEvent(SubmissionStatusChangedSchema, {}, { ...about, facet });
        for (const consumer of CONSUMERS)
          if (consumer === 'webhook' || facet === 'billing') committed[consumer].add(event.eventId);
        await pool.query(`WITH ${appending()}`, eventValues([event]));
      }
    },
    published,
    async appliedOnce() {
      await published();
      for (const consumer of CONSUMERS) {
        const expected = committed[consumer];
        const missed = async () => {
          const applied = new Set(await appliedBy(consumer));
          return [...expected].filter((id) => !applied.has(id)).length;
        };
        const all = eventually('all are applied', async () => (await missed()) === 0, APPLIED_MS);
        await all.catch(async () => {
          throw new Error(`${consumer} has missed ${await missed()} of ${expected.size} events`);
        });
        const applied = await appliedBy(consumer);
        if (applied.length > expected.size) throw new Error(`${consumer} has applied what it should not`);
      }
      const { rows } = await pool.query('SELECT consumer, type, failure FROM failed_event');
      if (rows.length > 0) throw new Error(`kept as failed: ${JSON.stringify(rows)}`);
    },
    hold() {
      held = Promise.withResolvers();
    },
    letGo,
    async settled(consumer) {
      const connection = await eventually('the administrator is connected', () => administrator.connection());
      await eventually(`${consumer} has acknowledged everything`, async () => {
        const answer = await connection.request(`$JS.API.CONSUMER.INFO.${STREAM}.${consumer}`);
        const { num_pending, num_ack_pending } = answer.json<Record<string, unknown>>();
        return num_pending === 0 && num_ack_pending === 0;
      });
    },
    folder,
    sync: () => syncTree(disk.path),
    async syncConsumers(consumer, through) {
      const state = folder('obs', consumer, 'o.dat');
      await eventually(
        'NATS writes what was acknowledged',
        () => ackFloorIn(readFileSync(state)) === through,
      );
      syncTree(folder('obs'));
    },
    cut: (spoil = () => {}) =>
      nats.cut({
        stopped: () => disk.capture(),
        killed() {
          disk.restore();
          spoil();
        },
      }),
    close,
  };
}

/** Starts NATS on a separate disk. */
async function startNats(syncInterval: string, closing: (() => unknown)[]) {
  const disk = makeCutDisk();
  closing.push(() => disk.remove());
  const nats = await startTestNatsServer((config) =>
    config
      .replace(/store_dir: .*/, `store_dir: ${JSON.stringify(disk.path)}`)
      .replace(/sync_interval: .*/, `sync_interval: ${syncInterval}`),
  );
  closing.push(() => nats.close());
  return { disk, nats };
}

/**
 * Returns the position up to which a consumer has acknowledged everything, from its NATS state file. After two bytes,
 * numbers follow with seven bits per byte; this is the second.
 */
function ackFloorIn(state: Buffer): number {
  let at = 2;
  const next = () => {
    let value = 0;
    for (let unit = 1; ; unit *= 128) {
      const byte = state[at] ?? 0;
      at += 1;
      value += (byte % 128) * unit;
      if (byte < 128) return value;
    }
  };
  next();
  return next();
}
