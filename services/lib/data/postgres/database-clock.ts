import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { ServiceProcess } from '../../runtime/service-runtime/index.ts';
import { type Clock, systemClock } from '../../text/time/index.ts';

const MEASURED_EVERY_MS = 30_000;
/** The retry interval until the time is measured. The process uses the machine clock until then. */
const TRIED_EVERY_MS = 1_000;
/** The fastest response is the most precise: it is off by at most half of its duration. */
const ASKED_AT_ONCE = 3;
/** A difference this large is logged as a warning because it needs attention. */
const LOGGED_FROM_MS = 1_000;

/** A response slower than this is too imprecise: it may be off by half of its duration. */
const SLOWEST_MS = 200;

/** How long a process stays unready without the database's time. After that it uses the machine clock. */
const WAITED_FOR_MS = 30_000;

/**
 * Returns the machine's clock, corrected by the database's at startup and every 30 s. Use it for times that processes
 * on several machines compare. Keeps the last offset while the database is slow.
 */
export function databaseClock(process: ServiceProcess, pool: pg.Pool, own: Clock = systemClock) {
  let offsetMs = 0;
  let loggedMs = 0;
  let isMeasured = false;
  const startedAt = performance.now();
  void follow();
  return {
    now: () => new Date(own.now().getTime() + offsetMs),
    /** False until the database's time is measured, for at most 30 s. The clock is the machine's until then. */
    isKnown: () => isMeasured || performance.now() - startedAt > WAITED_FOR_MS,
  };

  async function follow(): Promise<void> {
    const signal = process.stopping;
    while (!signal.aborted) {
      const measured = await measure().catch(() => undefined);
      if (measured !== undefined) take(measured);
      const waitMs = measured === undefined ? TRIED_EVERY_MS : MEASURED_EVERY_MS;
      await pause(waitMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  function take(measuredMs: number): void {
    offsetMs = measuredMs;
    isMeasured = true;
    if (Math.abs(offsetMs - loggedMs) < LOGGED_FROM_MS) return;
    loggedMs = offsetMs;
    process.log.warn({ offset_ms: offsetMs }, "clock differs from the database's; using the database's");
  }

  /** Returns the database's time minus the machine's, in milliseconds; undefined if every response was too slow. */
  async function measure(): Promise<number | undefined> {
    // Connect first: the wait for a connection is not part of the measurement.
    const client = await pool.connect();
    let best = { tookMs: SLOWEST_MS, offsetMs: undefined as number | undefined };
    let broken: Error | undefined;
    try {
      for (let asked = 0; asked < ASKED_AT_ONCE; asked += 1) {
        const [startedAt, sentAt] = [performance.now(), own.now().getTime()];
        const { rows } = await client.query<{ ms: number }>(
          'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms',
        );
        const tookMs = performance.now() - startedAt;
        const [answer] = rows;
        if (answer && tookMs < best.tookMs)
          best = { tookMs, offsetMs: Math.round(answer.ms - sentAt - tookMs / 2) };
      }
    } catch (error) {
      // A pending response would delay or fail the next user of the connection.
      broken = error as Error;
      throw error;
    } finally {
      client.release(broken);
    }
    return best.offsetMs;
  }
}

export type DatabaseClock = ReturnType<typeof databaseClock>;
