import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants, type Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { DescMethod } from '@bufbuild/protobuf';
import { discardUnreadBody } from '../unread-body/index.ts';
import { MAX_DURATION_MS, tookTooLong } from './call-rules.ts';
import type { ArrivedRequest } from './caller-connections.ts';

/** What a client may still send after its answer: the default message limit of gRPC clients. */
const UNREAD = { maxBytes: 4 * 1024 * 1024, maxMs: 5_000 };
/** An upload idle for this long will not end. */
const IDLE_MS = 250;

/** Bounds the unread body of an answered request. Call it when the request arrives. */
export function boundUnreadBody(
  request: IncomingMessage | Http2ServerRequest,
  response: ServerResponse | Http2ServerResponse,
): void {
  if (response instanceof Http2ServerResponse) closeOpenUpload(request as Http2ServerRequest, response);
  else discardUnreadBody(request as IncomingMessage, response, UNREAD);
}

/**
 * Closes the stream of an answered call with RST_STREAM NO_ERROR (RFC 9113, section 8.1). Discards some data first,
 * since Node's client leaks unsent data and ends its session after a few closed streams.
 */
function closeOpenUpload(request: Http2ServerRequest, { stream }: Http2ServerResponse): void {
  // Emitted just before the end of the answer is sent.
  stream.once('wantTrailers', () => {
    if (stream.destroyed || stream.state.remoteClose !== 0) return;
    const close = () => {
      if (!stream.closed) stream.close(constants.NGHTTP2_NO_ERROR);
    };
    const late = setTimeout(close, UNREAD.maxMs);
    let lastAt = performance.now();
    // On a process short of CPU, first read what has arrived meanwhile.
    const closeIfIdle = () => (performance.now() - lastAt < IDLE_MS ? idle.refresh() : close());
    const idle = setTimeout(() => setImmediate(closeIfIdle), IDLE_MS);
    stream.once('close', () => {
      clearTimeout(late);
      clearTimeout(idle);
    });
    let left = UNREAD.maxBytes;
    request.on('data', (chunk: Buffer) => {
      lastAt = performance.now();
      idle.refresh();
      left -= chunk.byteLength;
      if (left < 0) close();
    });
    request.removeAllListeners('readable');
    request.resume();
  });
}

/**
 * Stops reading an admitted call's body when its signal aborts, and after 10 s unless it may stream: Connect's handlers
 * would wait. Leaves the connection open, to be answered.
 */
export function boundUpload(
  request: ArrivedRequest,
  signal: AbortSignal,
  kind: DescMethod['methodKind'],
): void {
  if (request.complete) return;
  const chunks = request.iterator({ destroyOnReturn: false });
  const failed = new AbortController();
  let reject = (_reason: unknown) => {};
  const fail = (reason: unknown) => {
    failed.abort(reason);
    reject(reason);
  };
  const isStream = kind === 'client_streaming' || kind === 'bidi_streaming';
  const late = isStream ? undefined : setTimeout(() => fail(tookTooLong()), MAX_DURATION_MS);
  signal.addEventListener('abort', () => fail(signal.reason), { once: true });
  request.once('end', () => clearTimeout(late));
  signal.addEventListener('abort', () => clearTimeout(late), { once: true });
  const leave = async () => {
    // Not awaited: behind a pending read it would wait for the client.
    void chunks.return?.();
  };
  const reader: NodeJS.AsyncIterator<Buffer> = {
    next: () =>
      new Promise((resolve, rejectNext) => {
        if (failed.signal.aborted) return rejectNext(failed.signal.reason);
        reject = rejectNext;
        chunks.next().then(resolve, rejectNext);
      }),
    return: async () => {
      await leave();
      return { done: true, value: undefined };
    },
    [Symbol.asyncDispose]: leave,
    [Symbol.asyncIterator]: () => reader,
  };
  request[Symbol.asyncIterator] = () => reader;
}
