/** A worker's pause between two scans of its queue. */
export interface Wakeable {
  /** Ends the current pause, or the next one if none is under way. */
  wake(): void;
  /** Resolves after `ms`, or as soon as `wake` is called or the process stops. */
  sleep(ms: number): Promise<void>;
}

/** Makes a pause that `wake` and `stopping` cut short. A wake-up between two pauses is not lost. */
export function wakeable(stopping: AbortSignal): Wakeable {
  let woken = false;
  let end: (() => void) | undefined;
  const wake = () => {
    woken = true;
    end?.();
  };
  stopping.addEventListener('abort', wake, { once: true });
  return {
    wake,
    async sleep(ms) {
      if (!woken && !stopping.aborted) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          end = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      woken = false;
      end = undefined;
    },
  };
}
