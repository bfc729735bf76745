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

/**
 * The database's clock, to some milliseconds: this machine's, corrected by what the database tells at the start and every
 * 30 s until the process stops. Times that processes of several machines write, and compare with each other's, are told by
 * it: the clocks of machines may differ by seconds, and a change of one then seems to be made before it, or never.
 */
export function databaseClock(process: ServiceProcess, pool: pg.Pool, own: Clock = systemClock): Clock {
  let offsetMs = 0;
  let toldMs = 0;
  void follow();
  return { now: () => new Date(own.now().getTime() + offsetMs) };

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
    if (Math.abs(offsetMs - toldMs) < TOLD_FROM_MS) return;
    toldMs = offsetMs;
    process.log.warn(
      { offset_ms: offsetMs },
      "this machine's clock is not the database's; going by the database's",
    );
  }

  async function measure(): Promise<number> {
    let best = { tookMs: Number.POSITIVE_INFINITY, offsetMs: 0 };
    for (let asked = 0; asked < ASKED_AT_ONCE; asked += 1) {
      const [begun, sentAt] = [performance.now(), own.now().getTime()];
      const { rows } = await pool.query<{ ms: number }>(
        'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms',
      );
      const tookMs = performance.now() - begun;
      const [answer] = rows;
      if (answer && tookMs < best.tookMs)
        best = { tookMs, offsetMs: Math.round(answer.ms - sentAt - tookMs / 2) };
    }
    return best.offsetMs;
  }
}
