import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { ServiceProcess } from '../../runtime/service-runtime/index.ts';
import { type Clock, systemClock } from '../../text/time/index.ts';

const MEASURED_EVERY_MS = 30_000;
/** Interval of tries until the time was measured; the process uses its own machine's clock until then. */
const TRIED_EVERY_MS = 1_000;
/** The fastest answer is the most precise: it is off by at most half of the time that it took. */
const ASKED_AT_ONCE = 3;
/** A difference this large is logged, since somebody should look into it. */
const LOGGED_FROM_MS = 1_000;

/** An answer that took longer than this is too imprecise: it may be off by half of that. */
const SLOWEST_MS = 200;

/** How long a process is not ready because it lacks the database's time; after that it uses its own clock. */
const WAITED_FOR_MS = 30_000;

/** A clock on which all machines agree. */
export interface DatabaseClock extends Clock {
  /** False until the database's time was measured, for 30 s at most: the clock is the machine's own until then. */
  isKnown(): boolean;
}

/**
 * The database's clock, to a tenth of a second: this machine's, corrected by the database's time at the start and every
 * 30 s until the process stops. It gives the times that processes on several machines write and compare: the clocks of
 * machines may differ by seconds, and changes would then seem to happen in the wrong order. If the database answers
 * slowly, or not at all, it is asked again every second, and the last measurement stays in use.
 */
export function databaseClock(
  process: ServiceProcess,
  pool: pg.Pool,
  own: Clock = systemClock,
): DatabaseClock {
  let offsetMs = 0;
  let loggedMs = 0;
  let isMeasured = false;
  const begun = performance.now();
  void follow();
  return {
    now: () => new Date(own.now().getTime() + offsetMs),
    isKnown: () => isMeasured || performance.now() - begun > WAITED_FOR_MS,
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
    process.log.warn(
      { offset_ms: offsetMs },
      "this machine's clock is not the database's; going by the database's",
    );
  }

  /** The database's time minus this machine's, in milliseconds; undefined where every answer was too slow. */
  async function measure(): Promise<number | undefined> {
    // The wait for a connection is not part of the measurement.
    const client = await pool.connect();
    let best = { tookMs: SLOWEST_MS, offsetMs: undefined as number | undefined };
    let broken: Error | undefined;
    try {
      for (let asked = 0; asked < ASKED_AT_ONCE; asked += 1) {
        const [begun, sentAt] = [performance.now(), own.now().getTime()];
        const { rows } = await client.query<{ ms: number }>(
          'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms',
        );
        const tookMs = performance.now() - begun;
        const [answer] = rows;
        if (answer && tookMs < best.tookMs)
          best = { tookMs, offsetMs: Math.round(answer.ms - sentAt - tookMs / 2) };
      }
    } catch (error) {
      // An answer that is still on its way would delay or fail the next user of the connection.
      broken = error as Error;
      throw error;
    } finally {
      client.release(broken);
    }
    return best.offsetMs;
  }
}
