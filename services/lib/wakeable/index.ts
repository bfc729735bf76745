/** A worker's rest between two looks at its queue. */
export interface Wakeable {
  /** Ends the rest at hand, or the next one if none is under way. */
  wake(): void;
  /** Resolves after `ms`, or as soon as somebody wakes it or the process stops. */
  sleep(ms: number): Promise<void>;
}

/** Makes a rest that `wake` and `stopping` cut short. A wake is never lost between two rests. */
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
