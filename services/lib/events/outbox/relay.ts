import { jetstreamManager } from '@nats-io/jetstream';
import type pg from 'pg';
import { inboxPrefixOf } from '../../runtime/nats-access/index.ts';
import type { ServiceProcess } from '../../runtime/service-runtime/index.ts';
import { wakeable } from '../../runtime/wakeable/index.ts';
import { configurationCheck, NotAsExpected } from '../event-bus/expected-configuration.ts';
import type { Bus, EventSigner } from '../event-bus/index.ts';
import { fillLostPlaces } from './lost-places.ts';
import { measureOutbox } from './measure-outbox.ts';
import type { UnpublishableEvent } from './parked-events.ts';
import { startPartitions } from './partitions.ts';
import { type OwnPlace, publishPending } from './publish-pending.ts';
import { type Publisher, publisherOn } from './publisher.ts';
import { refillChunk } from './refill.ts';
import { scanBounds } from './scan-bounds.ts';
import { guardStream } from './stream-guard.ts';

const POLL_MS = 1_000;
const GUARD_EVERY_MS = 5_000;
const PAUSE_AFTER_FAILURE_MS = 250;
/** Bounds the final drain. Events committed later are published by another replica or after a restart. */
const DRAIN_MS = 2_000;
const DEFAULT_PUBLISHED_DAYS = 7;

export interface RelayOptions {
  readonly pool: pg.Pool;
  readonly bus: Bus;
  readonly stream: string;
  /** The pause between two scans without a wake-up, in milliseconds; 1,000 by default. */
  readonly pollMs?: number;
  /** How long a published event can be published again, in days; 7 by default. */
  readonly publishedDays?: number;
  /** Authenticates events whose consumers ask for it. */
  readonly sign?: EventSigner | undefined;
}

export interface Relay {
  /** Publishes committed events immediately. Cheap; call it after each commit that wrote events. */
  wake(): void;
}

/**
 * Publishes the outbox until the process stops. Code that commits events in this process wakes the relay; a poll finds
 * events committed by other processes. Several relays share the work. While the event bus is unavailable, or the stream is
 * missing or configured otherwise than expected, nothing is published and nothing is lost. Lost events are republished after new ones. An event that the stream will never accept
 * is parked for staff and does not block others.
 */
export function startRelay(process: ServiceProcess, options: RelayOptions): Relay {
  const { pool, bus, stream, pollMs = POLL_MS, publishedDays = DEFAULT_PUBLISHED_DAYS, sign } = options;
  const check = configurationCheck(process, stream);
  const inboxPrefix = inboxPrefixOf(process.name);
  const stopping = new AbortController();
  const sleeper = wakeable(stopping.signal);
  let publisher: Publisher | undefined;
  let own: OwnPlace | undefined;
  /** The number of connections to the bus, and the connection that the guard last checked. */
  let connects = 0;
  let guardedConnect = 0;
  let guardedAt = Number.NEGATIVE_INFINITY;
  let refilling = true;
  const bounds = scanBounds();

  measureOutbox(process.metrics, pool);
  startPartitions(process, pool, publishedDays);
  bus.onConnect(() => {
    connects += 1;
    sleeper.wake();
  });
  const done = run();
  process.onStop('outbox relay', () => {
    stopping.abort();
    return done;
  });
  return { wake: sleeper.wake };

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      if (!(await attempt(publishOnce))) await sleeper.sleep(pollMs);
    }
    const end = performance.now() + DRAIN_MS;
    while (performance.now() < end && (await attempt(publishNew)));
  }

  /** Resolves to whether more work is ready now. */
  async function attempt(work: (publisher: Publisher) => Promise<boolean>): Promise<boolean> {
    const connection = bus.connection();
    if (!connection) return false;
    if (publisher?.connection !== connection) publisher = publisherOn(connection, { inboxPrefix, sign });
    try {
      return await work(publisher);
    } catch (err) {
      guardedAt = Number.NEGATIVE_INFINITY;
      bounds.reset();
      if (err instanceof NotAsExpected) return false;
      process.log.warn({ err, stream }, 'publishing failed');
      if (!stopping.signal.aborted) await sleeper.sleep(PAUSE_AFTER_FAILURE_MS);
      return false;
    }
  }

  /** Runs the guard when due, publishes new events, then one refill chunk. */
  async function publishOnce(current: Publisher): Promise<boolean> {
    await guard(current);
    const more = await publishNew(current);
    const progress = refilling
      ? await refillChunk(pool, onceGuarded(current), stream, { log: process.log, reportParked })
      : 'idle';
    refilling = progress !== 'idle';
    return more || refilling;
  }

  async function guard(current: Publisher): Promise<void> {
    const now = performance.now();
    const connect = connects;
    const isFirstLook = connect !== guardedConnect;
    if (!isFirstLook && now - guardedAt < GUARD_EVERY_MS) return;
    const manager = await jetstreamManager(current.connection, { checkAPI: false });
    // Nothing is published until it passes.
    guardedConnect = 0;
    const readStream = () => check.pass(manager);
    const fill = async (lost: boolean) => {
      if (lost || isFirstLook) await fillLostPlaces(pool, current, stream, process.log);
    };
    await guardStream(pool, manager, stream, readStream, fill, own, process.log);
    guardedAt = now;
    guardedConnect = connect;
    // Covers refills requested by this guard, by staff or by another relay's guard.
    refilling = true;
  }

  /** Publishes only if the guard has run since the last connection: new events would hide a loss. */
  function onceGuarded(current: Publisher): Publisher {
    return {
      ...current,
      async publishAll(of, events, ...rest) {
        if (bus.connection() === current.connection && connects === guardedConnect)
          return current.publishAll(of, events, ...rest);
        return events.map(() => ({ failure: new Error('event not sent: the connection was lost') }));
      },
    };
  }

  function reportParked(parked: readonly UnpublishableEvent[]): void {
    for (const { event_id, type, byteSize, failure } of parked)
      process.log.error(
        { err: failure, stream, event_id, event_type: type, byte_size: byteSize },
        'outbox event parked',
      );
  }

  async function publishNew(current: Publisher): Promise<boolean> {
    const after = bounds.begin(performance.now());
    const scan = await publishPending(pool, onceGuarded(current), stream, after);
    const { furthest } = scan;
    reportParked(scan.parked);
    if (furthest && !(own?.generation === furthest.generation && own.seq > furthest.seq)) own = furthest;
    if (scan.failure) throw scan.failure;
    bounds.end(scan.through, scan.more);
    return scan.more;
  }
}
