/** Creates a pause that `wake` and `stopping` cut short. A wake-up between two pauses is not lost. */
export function wakeable(stopping: AbortSignal) {
  let woken = false;
  let end: (() => void) | undefined;
  const wake = () => {
    woken = true;
    end?.();
  };
  stopping.addEventListener('abort', wake, { once: true });
  return {
    /** Ends the current pause, or the next one if none is in progress. */
    wake,
    /** Resolves after `ms`, or as soon as `wake` is called or the process stops. */
    async sleep(ms: number): Promise<void> {
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

export type Wakeable = ReturnType<typeof wakeable>;

/** Wake-ups, named after what they wake. */
export type Wakes<Targets> = Targets & {
  /** Sets the workers to wake from now on. */
  connect(targets: Partial<Targets>): void;
};

/** The wake-up that every service has. */
export interface RelayWake {
  /** Events were committed to the outbox. */
  relay(): void;
}

/** Creates wake-ups that do as `unconnected` until the workers, which start later, are connected. */
export function createWakes<Targets extends object>(unconnected: Targets): Wakes<Targets> {
  type Wake = (...args: readonly unknown[]) => void;
  let targets = unconnected;
  // Callers pass them around detached, so each looks up its target when called.
  const forwarding = Object.keys(unconnected).map((name) => [
    name,
    (...args: readonly unknown[]) => (targets as Readonly<Record<string, Wake>>)[name]?.(...args),
  ]);
  return {
    ...(Object.fromEntries(forwarding) as Targets),
    connect(connected) {
      targets = { ...targets, ...connected };
    },
  };
}

export const relayWakes = (): Wakes<RelayWake> => createWakes<RelayWake>({ relay() {} });
