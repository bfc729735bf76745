import type { ServiceProcess } from '../../runtime/service-runtime/index.ts';
import { wakeable } from '../../runtime/wakeable/index.ts';

/** After this many consecutive failures the events are probably not the cause. */
const MAX_STREAK = 64;
/** A few hundred bad events pass within seconds; during a fault, 64 events move per half minute. */
const MIN_PAUSE_MS = 250;
const MAX_PAUSE_MS = 30_000;
const MIN_UNSTORED_PAUSE_MS = 1_000;

/** Creates a pause that grows from `minMs` to half a minute until it is reset. */
function growingPause(stopping: AbortSignal, minMs: number) {
  const sleeper = wakeable(stopping);
  let nextMs = minMs;
  return {
    wake: sleeper.wake,
    async pause() {
      const ms = nextMs;
      nextMs = Math.min(2 * ms, MAX_PAUSE_MS);
      await sleeper.sleep(ms);
    },
    reset() {
      nextMs = minMs;
    },
  };
}

/** Stops a consumer whose every event fails from moving the whole stream to the table of failed events. */
export function failureStreak({ log, stopping }: ServiceProcess, consumer: string) {
  const growing = growingPause(stopping, MIN_PAUSE_MS);
  let failures = 0;
  return {
    failed() {
      failures += 1;
      if (failures === MAX_STREAK) log.error({ consumer, count: failures }, 'consumer slowed down');
    },
    /** Ends the streak and any current pause. */
    succeeded() {
      if (failures >= MAX_STREAK) {
        log.info({ consumer }, 'consumer resumed');
        growing.wake();
      }
      failures = 0;
      growing.reset();
    },
    /** Pauses between two sets during a streak, for increasing times of up to half a minute. */
    async pause() {
      if (failures >= MAX_STREAK) await growing.pause();
    },
  };
}

/** Paces retries while failures cannot be stored; otherwise they would repeat immediately, each with a log line. */
export function unstoredFailures({ stopping }: ServiceProcess) {
  const growing = growingPause(stopping, MIN_UNSTORED_PAUSE_MS);
  let hasFailed = false;
  let loggedAt = Number.NEGATIVE_INFINITY;
  return {
    /** Calls `report`, unless another failure was reported within the last half minute. */
    failed(report: () => void) {
      hasFailed = true;
      if (performance.now() - loggedAt < MAX_PAUSE_MS) return;
      loggedAt = performance.now();
      report();
    },
    /** Pauses if an event failed since the last pause, for increasing times of up to half a minute. */
    async pause() {
      if (!hasFailed) return;
      hasFailed = false;
      await growing.pause();
    },
    /** Resets the pause when an event was applied or failures can be stored again. */
    over: growing.reset,
  };
}
