import type { ServiceProcess } from '../../runtime/service-runtime/index.ts';
import { wakeable } from '../../runtime/wakeable/index.ts';

/** After this many failures in a row the cause is most likely not the events. */
const MAX_STREAK = 64;
/**
 * A few hundred bad events in a row are over in seconds; while a fault of ours lasts, 64 events move in half a minute.
 */
const MIN_PAUSE_MS = 250;
const MAX_PAUSE_MS = 30_000;
const MIN_UNSTORED_PAUSE_MS = 1_000;

/** Keeps a consumer whose every event fails from emptying the stream into the table of failed events. */
export interface FailureStreak {
  failed(): void;
  /** Ends the streak, and a pause with it. */
  succeeded(): void;
  /** Rests between two sets while the streak lasts, ever longer, up to half a minute. */
  pause(): Promise<void>;
}

export function failureStreak({ log, stopping }: ServiceProcess, consumer: string): FailureStreak {
  const sleeper = wakeable(stopping);
  let failures = 0;
  let pauseMs = MIN_PAUSE_MS;
  return {
    failed() {
      failures += 1;
      if (failures === MAX_STREAK) log.error({ consumer, count: failures }, 'consumer slowed down');
    },
    succeeded() {
      if (failures >= MAX_STREAK) {
        log.info({ consumer }, 'consumer resumed');
        sleeper.wake();
      }
      failures = 0;
      pauseMs = MIN_PAUSE_MS;
    },
    async pause() {
      if (failures < MAX_STREAK) return;
      await sleeper.sleep(pauseMs);
      pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
    },
  };
}

/** Paces retries while failures cannot be stored: they would follow at once, each with a log line. */
export interface UnstoredFailures {
  /** Calls `report`, unless another failure was reported within half a minute. */
  failed(report: () => void): void;
  /** Rests, ever longer, up to half a minute, if one has failed since the last rest. */
  pause(): Promise<void>;
  /** Something was applied, or failures can be stored again: the next pause is short. */
  over(): void;
}

export function unstoredFailures({ stopping }: ServiceProcess): UnstoredFailures {
  const sleeper = wakeable(stopping);
  let pauseMs = MIN_UNSTORED_PAUSE_MS;
  let hasFailed = false;
  let loggedAt = Number.NEGATIVE_INFINITY;
  return {
    failed(report) {
      hasFailed = true;
      if (performance.now() - loggedAt < MAX_PAUSE_MS) return;
      loggedAt = performance.now();
      report();
    },
    async pause() {
      if (!hasFailed) return;
      hasFailed = false;
      const restMs = pauseMs;
      pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
      await sleeper.sleep(restMs);
    },
    over() {
      pauseMs = MIN_UNSTORED_PAUSE_MS;
    },
  };
}
