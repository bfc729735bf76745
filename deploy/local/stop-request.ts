/** Whether somebody wants the stack to stop, and whether at once. */
export interface StopRequest {
  /** Aborts with the first request. */
  readonly asked: AbortSignal;
  /** Called when a second request comes after the first. */
  onInsist(act: () => void): void;
}

/** Ctrl-C reaches a process by way of the terminal and again by way of a parent; both are one request. */
const SAME_REQUEST_MS = 1_000;

/** Listens for Ctrl-C, SIGTERM, and the parent process: its word, or its disappearance. */
export function listenForStop(): StopRequest {
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
    asked: controller.signal,
    onInsist: (act) => {
      insist = act;
    },
  };
}
