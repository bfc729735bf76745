import type { ServiceProcess } from '../../runtime/service-runtime/index.ts';
import { wakeable } from '../../runtime/wakeable/index.ts';

/** After this many consecutive failures the events are probably not the cause. */
const MAX_STREAK = 64;
/** A few hundred bad events pass within seconds; during a fault, 64 events move per half minute. */
const MIN_PAUSE_MS = 250;
const MAX_PAUSE_MS = 30_000;
const MIN_UNSTORED_PAUSE_MS = 1_000;

/** Stops a consumer whose every event fails from moving the whole stream to the table of failed events. */
export interface FailureStreak {
  failed(): void;
  /** Ends the streak and any current pause. */
  succeeded(): void;
  /** Pauses between two sets during a streak, for increasing times of up to half a minute. */
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

/** Paces retries while failures cannot be stored; otherwise they would repeat immediately, each with a log line. */
export interface UnstoredFailures {
  /** Calls `report`, unless another failure was reported within the last half minute. */
  failed(report: () => void): void;
  /** Pauses if an event failed since the last pause, for increasing times of up to half a minute. */
  pause(): Promise<void>;
  /** Resets the pause when an event was applied or failures can be stored again. */
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
