import { setTimeout as delay } from 'node:timers/promises';
import { groupCommit } from '@supplier/lib/group-commit';
import type { Logger } from '@supplier/lib/log';
import { isUnavailable } from '@supplier/lib/postgres';
import type { Outcome } from '../domain/attempt.ts';

const GROUP = 128;
/** Alone, it makes the largest groups: two lanes cost PostgreSQL a seventh more for each outcome. */
const LANES = 1;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/** Records the outcome for as long as it takes; resolves to whether it was recorded, rather than closed by somebody else before. */
export type RecordOutcome = (outcome: Outcome) => Promise<boolean>;

export interface RecorderOptions {
  readonly settle: (outcomes: readonly Outcome[]) => Promise<boolean[]>;
  /** How many outcomes may wait at once. */
  readonly maxQueue: number;
  readonly log: Logger;
  /** Ends all trying: what is not recorded by then is found by its lease. */
  readonly giveUp: AbortSignal;
}

/**
 * Outcomes that come together are recorded in one commit. While the database is away they are tried again; an outcome
 * that it refuses is given up, alone, and its attempt is found by its lease.
 */
export function outcomeRecorder({ settle, maxQueue, log, giveUp }: RecorderOptions): RecordOutcome {
  const settleGrouped = groupCommit<Outcome, boolean>({
    maxGroup: GROUP,
    maxQueue,
    lanes: LANES,
    flush: (outcomes) => settle(outcomes),
    overloaded: () => new Error('too many outcomes wait to be recorded'),
  });

  return async (outcome) => {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, pause * 2)) {
      try {
        return await settleGrouped(outcome).catch((cause: unknown) => {
          if (isUnavailable(cause)) throw cause;
          // One bad outcome fails its whole group: each is tried once more, by itself.
          return settle([outcome]).then(([recorded]) => recorded ?? false);
        });
      } catch (err) {
        const fields = { err, event_id: outcome.eventId, attempt: outcome.number };
        if (giveUp.aborted || !isUnavailable(err)) {
          log.error(fields, 'the outcome of an attempt could not be recorded');
          return false;
        }
        log.warn({ ...fields, delay_ms: pause }, 'the outcome of an attempt could not be recorded yet');
        await delay(pause, undefined, { signal: giveUp }).catch(() => {});
      }
    }
  };
}
