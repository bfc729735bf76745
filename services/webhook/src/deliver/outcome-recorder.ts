import { setTimeout as delay } from 'node:timers/promises';
import { isUnavailable } from '@supplier/lib/data/postgres';
import { groupCommit } from '@supplier/lib/runtime/group-commit';
import type { Logger } from '@supplier/lib/runtime/log';
import type { Outcome } from '../model/attempt.ts';

const GROUP = 128;
/** One lane makes the largest groups: two cost PostgreSQL a seventh more for each outcome. */
const LANES = 1;
/** Nobody waits for it: the webhook has arrived. */
const BEAT_MS = 20;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/**
 * Records the outcome, retrying while the database is unavailable; resolves to false when the attempt was already
 * closed or the outcome was given up.
 */
export type RecordOutcome = (outcome: Outcome) => Promise<boolean>;

export interface RecorderOptions {
  readonly settle: (outcomes: readonly Outcome[]) => Promise<boolean[]>;
  /** How many outcomes may wait at once. */
  readonly maxQueue: number;
  readonly log: Logger;
  /** Ends all retries: an attempt whose outcome is not recorded is found when its lease expires. */
  readonly giveUp: AbortSignal;
}

/**
 * Outcomes that arrive together are recorded in one commit. While the database is unavailable they are retried; only an
 * outcome that it refuses is given up, and its attempt is found when its lease expires.
 */
export function outcomeRecorder({ settle, maxQueue, log, giveUp }: RecorderOptions): RecordOutcome {
  const settleGrouped = groupCommit<Outcome, boolean>({
    maxGroup: GROUP,
    maxQueue,
    lanes: LANES,
    beatMs: BEAT_MS,
    flush: (outcomes) => settle(outcomes),
    overloaded: () => new Error('outcome queue is full'),
  });

  return async (outcome) => {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, pause * 2)) {
      try {
        return await settleGrouped(outcome).catch((cause: unknown) => {
          if (isUnavailable(cause)) throw cause;
          // One bad outcome fails its whole group, so each is retried by itself.
          return settle([outcome]).then(([recorded]) => recorded ?? false);
        });
      } catch (err) {
        const fields = { err, event_id: outcome.eventId, attempt: outcome.number };
        if (giveUp.aborted || !isUnavailable(err)) {
          log.error(fields, 'recording an outcome failed');
          return false;
        }
        log.warn({ ...fields, delay_ms: pause }, 'recording an outcome failed; retrying');
        await delay(pause, undefined, { signal: giveUp }).catch(() => {});
      }
    }
  };
}
