import { setImmediate as endOfTurn, setTimeout as pause } from 'node:timers/promises';
import {
  type ConsumerMessages,
  JetStreamApiError,
  type JsMsg,
  jetstream,
  jetstreamManager,
} from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/nats-core';
import { within } from '../../runtime/deadlines/index.ts';
import type { ServiceProcess } from '../../runtime/service-runtime/index.ts';
import { wakeable } from '../../runtime/wakeable/index.ts';
import type { Bus } from './bus.ts';
import { configurationCheck, NotAsExpected } from './expected-configuration.ts';
import { matchesSubject, type Subscription } from './subscriptions.ts';

/** Messages per pull. Another starts when fewer are buffered, so at most twice as many are. */
const PULL = 256;
/**
 * How long one pull waits for messages. A missing durable is detected within a pull. Across accounts, a cluster of NATS
 * sends messages to the pull of a stopped process until it expires, and again after `ack_wait`.
 */
const PULL_EXPIRES_MS = 1_000;
const CHECK_EVERY_MS = 60_000;
const RETRY_MS = 500;
const FLUSH_MS = 1_000;
/** The minimum time between two takes, unless enough messages are buffered. A message after a pause never waits. */
const BEAT_MS = 20;
const ENOUGH = 12;
/** Sleeps end with a wake-up; this is only an upper bound. */
const REST_MS = 60_000;

export interface SourceOptions extends Subscription {
  readonly bus: Bus;
  readonly checkEveryMs?: number;
  readonly retryMs?: number;
}

/**
 * Pulls messages until the process stops. Survives the loss of the bus and the deletion of the stream or durable. While
 * one of them is missing or configured otherwise than expected, nothing is pulled.
 */
export function pullMessages(process: ServiceProcess, options: SourceOptions) {
  const { bus, stream, consumer, subject, checkEveryMs = CHECK_EVERY_MS, retryMs = RETRY_MS } = options;
  const { stopping } = process;
  const check = configurationCheck(process, stream, options);
  // The server redelivers by position only. If the stream lost its end, another event may have taken the position.
  const isWanted = (message: JsMsg) => matchesSubject(subject, message.subject);
  const buffer: Delivery[] = [];
  const arrival = wakeable(stopping);
  const capacity = wakeable(stopping);
  const retry = wakeable(stopping);
  let takenAt = Number.NEGATIVE_INFINITY;
  let pull: ConsumerMessages | undefined;
  /** The number of pull starts. Messages of an earlier start are not acknowledged: see Delivery. */
  let era = 0;

  // After a reconnection the durable may be gone with its stream, so start again by finding it.
  bus.onConnect(() => {
    era += 1;
    endPull();
    retry.wake();
  });
  stopping.addEventListener('abort', endPull, { once: true });
  const done = run();

  function endPull(): void {
    void pull?.close().catch(() => {});
  }

  async function run(): Promise<void> {
    while (!stopping.aborted) {
      const connection = bus.connection();
      if (connection) await pullFrom(connection).catch(ended);
      await retry.sleep(retryMs);
    }
  }

  async function pullFrom(connection: NatsConnection): Promise<void> {
    era += 1;
    const startedIn = era;
    const manager = await jetstreamManager(connection, { checkAPI: false });
    await check.pass(manager);
    let checkedAt = performance.now();
    const source = await jetstream(connection).consumers.get(stream, consumer);
    process.log.info({ stream, consumer }, 'consumer started');
    while (era === startedIn && !stopping.aborted) {
      if (performance.now() - checkedAt >= checkEveryMs) {
        await check.pass(manager);
        checkedAt = performance.now();
      }
      pull = await source.fetch({ max_messages: PULL, expires: PULL_EXPIRES_MS });
      if (era !== startedIn || stopping.aborted) endPull();
      for await (const message of pull) {
        if (!isWanted(message)) {
          message.ack();
          continue;
        }
        buffer.push(new Delivery(message, () => era === startedIn));
        arrival.wake();
      }
      while (buffer.length >= PULL && !stopping.aborted) await capacity.sleep(REST_MS);
    }
  }

  function ended(err: unknown): void {
    if (err instanceof NotAsExpected) discard();
    // Found to be missing by the next check.
    else if (err instanceof JetStreamApiError && err.status === 404) return;
    else if (!stopping.aborted) process.log.warn({ err, stream, consumer }, 'consumer pull failed');
  }

  /** Leaves what is buffered to the server, which delivers it again. */
  function discard(): void {
    for (const message of buffer.splice(0)) message.release();
    era += 1;
  }

  return {
    /** Takes up to `max` messages in order, as soon as there is one; none when the process stops. */
    async take(max: number): Promise<Delivery[]> {
      while (buffer.length === 0 && !stopping.aborted) await arrival.sleep(REST_MS);
      const restMs = buffer.length >= ENOUGH ? 0 : takenAt + BEAT_MS - performance.now();
      // Messages that were published together arrive one by one.
      await (restMs > 0 ? pause(restMs) : endOfTurn());
      takenAt = performance.now();
      if (stopping.aborted) return [];
      const taken = buffer.splice(0, max);
      if (buffer.length < PULL) capacity.wake();
      return taken;
    },
    /** Releases buffered messages and waits until all acknowledgements are sent, when stopping. */
    async close(): Promise<void> {
      await done;
      for (const message of buffer) message.release();
      await flushed(bus);
    },
  };
}

/**
 * Acknowledgements name only a stream sequence, which belongs to another message if the stream was recreated: messages
 * from before a restart are redelivered instead.
 */
export class Delivery {
  readonly #message: JsMsg;
  readonly #isCurrent: () => boolean;

  constructor(message: JsMsg, isCurrent: () => boolean) {
    this.#message = message;
    this.#isCurrent = isCurrent;
  }
  get subject() {
    return this.#message.subject;
  }
  get data() {
    return this.#message.data;
  }
  header(name: string): string {
    return this.#message.headers?.get(name) ?? '';
  }
  get sequence() {
    return this.#message.seq;
  }
  /** The time when the stream accepted the message. */
  get publishedAt() {
    return this.#message.time;
  }
  /** Tells the server not to redeliver the message. */
  acknowledge(): void {
    if (this.#isCurrent()) this.#message.ack();
  }
  /** Tells the server to redeliver the message immediately, to any process. */
  release(): void {
    if (this.#isCurrent()) this.#message.nak();
  }
}

/** Resolves when all pending data is sent, or the bus is unavailable. */
async function flushed(bus: Bus): Promise<void> {
  const flush = bus.connection()?.flush();
  if (flush) await within(FLUSH_MS, flush, () => undefined).catch(() => {});
}
