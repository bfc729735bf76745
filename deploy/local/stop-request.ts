export type StopRequest = ReturnType<typeof listenForStop>;

/** Ctrl-C arrives from both the terminal and the parent, and counts as one request. */
const SAME_REQUEST_MS = 1_000;

/** Listens for signals, and for the parent's message or exit. */
export function listenForStop() {
  const controller = new AbortController();
  let first = 0;
  let insist: () => void = () => undefined;
  const request = () => {
    if (!controller.signal.aborted) {
      first = Date.now();
      controller.abort();
    } else if (Date.now() - first > SAME_REQUEST_MS) insist();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, request);
  if (process.channel) {
    process.on('disconnect', request);
    process.on('message', (message) => {
      if (message === 'stop') request();
    });
  }
  return {
    /** Aborts with the first request. */
    asked: controller.signal,
    /** Continues after the parent has ended. */
    outliveParent: (): void => void process.off('disconnect', request),
    /** Called on the second request. */
    onInsist: (act: () => void): void => {
      insist = act;
    },
  };
}
