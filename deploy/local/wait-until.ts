import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const ANSWER_MS = 2_000;

export interface Patience {
  readonly withinMs: number;
  readonly everyMs: number;
  readonly signal?: AbortSignal;
}

/** Polls until `probe` returns a value. Resolves to undefined on timeout; rejects when the signal aborts. */
export async function waitUntil<T>(
  probe: () => Promise<T | undefined> | T | undefined,
  { withinMs, everyMs, signal }: Patience,
): Promise<T | undefined> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const answer = await probe();
    if (answer !== undefined) return answer;
    if (Date.now() >= deadline) return undefined;
    await pause(everyMs, undefined, signal ? { signal } : {});
  }
}

/**
 * Returns whether a server on the loopback address sends text that begins with `greeting`, after `request` if given.
 */
export function greets(port: number, greeting: string, request?: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => request && socket.write(request));
    const finish = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(ANSWER_MS, () => finish(false));
    socket.once('error', () => finish(false));
    socket.once('close', () => finish(false));
    socket.once('data', (chunk) => finish(chunk.toString('latin1').startsWith(greeting)));
  });
}
