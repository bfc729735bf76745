import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import type pg from 'pg';
import type { Bus } from '../event-bus/index.ts';
import { listen } from '../postgres/index.ts';
import type { ServiceProcess } from '../service-runtime/index.ts';
import { wakeable } from '../wakeable/index.ts';
import { measureOutbox } from './measure-outbox.ts';
import { publishBatch } from './publish-batch.ts';
import { deleteExpired } from './retention.ts';
import { guardStream } from './stream-guard.ts';

const POLL_MS = 1_000;
const GUARD_EVERY_MS = 5_000;
const RETENTION_EVERY_MS = 3_600_000;
const PAUSE_AFTER_FAILURE_MS = 250;

export interface RelayOptions {
  readonly pool: pg.Pool;
  readonly databaseUrl: string;
  readonly bus: Bus;
  /** The stream this service owns. */
  readonly stream: string;
}

/**
 * Publishes the outbox until the process stops. A commit wakes it by NOTIFY, with a slow poll behind; several relays
 * share the work. While the event bus is away nothing is claimed and nothing is lost.
 */
export function startRelay(process: ServiceProcess, options: RelayOptions): void {
  const { pool, bus, stream } = options;
  const sleeper = wakeable(process.stopping);
  measureOutbox(process.metrics, pool);
  let guardedAt = Number.NEGATIVE_INFINITY;
  let expiredAt = Number.NEGATIVE_INFINITY;

  bus.onConnect(() => {
    guardedAt = Number.NEGATIVE_INFINITY;
    sleeper.wake();
  });
  listen(process, options.databaseUrl, 'outbox', sleeper.wake);
  const done = run();
  process.onStop('outbox relay', () => done);

  async function run(): Promise<void> {
    while (!process.stopping.aborted) {
      try {
        const more = await publishOnce();
        if (!more) await sleeper.sleep(POLL_MS);
      } catch (err) {
        guardedAt = Number.NEGATIVE_INFINITY;
        process.log.warn({ err, stream }, 'publishing failed; trying again');
        await sleeper.sleep(PAUSE_AFTER_FAILURE_MS);
      }
    }
  }

  /** Publishes one batch. Resolves to true when there may be more. */
  async function publishOnce(): Promise<boolean> {
    const connection = bus.connection();
    if (!connection) return false;
    const now = performance.now();
    if (now - guardedAt > GUARD_EVERY_MS) {
      await guardStream(pool, await jetstreamManager(connection, { checkAPI: false }), stream, process.log);
      guardedAt = now;
    }
    if (now - expiredAt > RETENTION_EVERY_MS) {
      await deleteExpired(pool);
      expiredAt = now;
    }
    return publishBatch(pool, jetstream(connection), stream);
  }
}
