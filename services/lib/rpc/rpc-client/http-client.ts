import { Code, ConnectError } from '@connectrpc/connect';
import { readAllBytes, type UniversalClientFn } from '@connectrpc/connect/protocol';
import type { Dispatcher } from 'undici';

/** Time to open a connection, including TLS. */
export const CONNECT_TIMEOUT_MS = 1_000;
/** The largest message in either direction. */
export const MAX_BYTES = 4 * 1024 * 1024;

class BrokenConnection extends Error {
  /** Such as ECONNREFUSED, which proves that the call was not received. */
  readonly code = (this.cause as NodeJS.ErrnoException | undefined)?.code;
}

/** Returns the error of a call whose complete answer did not arrive. */
export function broken(cause: unknown): ConnectError {
  const error = new BrokenConnection('the connection broke', { cause });
  const message = 'the called service cannot be reached';
  return new ConnectError(message, Code.Unavailable, undefined, undefined, error);
}

/** Returns whether a call failed because its connection broke, so that it may be repeated. */
export const isBroken = (error: unknown): boolean =>
  error instanceof ConnectError && error.cause instanceof BrokenConnection;

/** Sends the requests of Connect's transport through undici. */
export function httpClient(dispatcher: Dispatcher): UniversalClientFn {
  return async ({ url, method, header, body, signal }) => {
    const failure = (cause: unknown) => (signal?.aborted ? signal.reason : broken(cause));
    const sent = body && (await readAllBytes(body, MAX_BYTES));
    const request = { path: new URL(url).pathname, method, headers: Object.fromEntries(header) };
    const answering = dispatcher.request({ ...request, body: sent ?? null, ...(signal && { signal }) });
    const answer = await unlessAborted(answering, signal).catch((error: unknown) => {
      throw failure(error);
    });
    const chunks = async function* () {
      try {
        yield* answer.body;
      } catch (error) {
        throw failure(error);
      }
    };
    return {
      status: answer.statusCode,
      header: webHeaders(answer.headers),
      body: chunks(),
      trailer: new Headers(),
    };
  };
}

/** Rejects as soon as `signal` is aborted: undici looks at it only when the request has a connection. */
async function unlessAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (!signal) return work;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Converts headers as Node and undici write them. Throws for a malformed one. */
export function webHeaders(headers: Record<string, string | string[] | undefined>): Headers {
  const web = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const one of Array.isArray(value) ? value : [value ?? '']) web.append(name, one);
  }
  return web;
}
