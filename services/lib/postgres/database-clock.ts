import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { ServiceProcess } from '../service-runtime/index.ts';
import { type Clock, systemClock } from '../time/index.ts';

const MEASURED_EVERY_MS = 30_000;
/** Until it was measured the process goes by its own machine's clock. */
const TRIED_EVERY_MS = 1_000;
/** The fastest answer tells the time best: it is off by at most half of what it took. */
const ASKED_AT_ONCE = 3;
/** A difference that somebody should look into. */
const TOLD_FROM_MS = 1_000;

/** An answer that took longer than this tells the time too badly: half of it is what it may be off by. */
const SLOWEST_MS = 200;

/** For so long a process is not ready for want of the database's time; then its own clock must do. */
const WAITED_FOR_MS = 30_000;

/** A clock that two machines agree about. */
export interface DatabaseClock extends Clock {
  /** False from the start until the database has told its time, for 30 s at most: the clock is the machine's own until then. */
  isKnown(): boolean;
}

/**
 * The database's clock, to a tenth of a second: this machine's, corrected by what the database tells at the start and
 * every 30 s until the process stops. Times that processes of several machines write, and compare with each other's, are
 * told by it: the clocks of machines may differ by seconds, and a change of one then seems to be made before it, or never.
 * A database that answers slowly, or not at all, is asked again every second, and what it told before stays.
 */
export function databaseClock(
  process: ServiceProcess,
  pool: pg.Pool,
  own: Clock = systemClock,
): DatabaseClock {
  let offsetMs = 0;
  let toldMs = 0;
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
    if (Math.abs(offsetMs - toldMs) < TOLD_FROM_MS) return;
    toldMs = offsetMs;
    process.log.warn(
      { offset_ms: offsetMs },
      "this machine's clock is not the database's; going by the database's",
    );
  }

  /** The database's time less this machine's, in milliseconds; undefined where every answer was too slow. */
  async function measure(): Promise<number | undefined> {
    // The wait for a connection is no part of what is measured.
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
      // An answer that is still on its way would keep the next user of the connection waiting, or fail it.
      broken = error as Error;
      throw error;
    } finally {
      client.release(broken);
    }
    return best.offsetMs;
  }
}
