import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Limit on data read from a closing connection: four of the largest bodies allowed here. */
const MAX_DRAINED_BYTES = 262_144;
const LINGER_MS = 1_000;
const UPLOAD_MS = 5_000;
/** An upload idle for this long will not end. */
const IDLE_MS = 500;

/**
 * Ends a connection after its last answer. Closing it with unread bytes could lose the answer, so up to 256 KiB are
 * discarded for 1 s. A client with `isUploading` has yet to read its answer: it is half-closed after 0.5 s without
 * data, and cut after 5 s.
 */
export function closeLingering(socket: Duplex, isUploading = false): void {
  if (socket.destroyed) return;
  // A connection that breaks is closed anyway; without a listener its error would end the process.
  socket.on('error', () => {});
  const timers = [cutIn(socket, isUploading ? UPLOAD_MS : LINGER_MS)];
  const idle = isUploading ? setTimeout(() => socket.end(), IDLE_MS) : undefined;
  socket.once('close', () => {
    clearTimeout(idle);
    for (const timer of timers) clearTimeout(timer);
  });
  let left = MAX_DRAINED_BYTES;
  socket.removeAllListeners('data');
  socket.on('data', (chunk: Buffer) => {
    idle?.refresh();
    left -= chunk.byteLength;
    if (left >= 0) return;
    // The sender gets time to read its answer, but may send no more.
    socket.pause();
    timers.push(cutIn(socket, LINGER_MS));
  });
  // An unread body may have stopped the reading without the stream's knowledge.
  socket.pause();
  socket.resume();
  if (!isUploading) socket.end();
}

const cutIn = (socket: Duplex, ms: number) => setTimeout(() => socket.destroy(), ms);

export interface DiscardBounds {
  readonly maxBytes: number;
  readonly maxMs: number;
}

/**
 * Keeps an HTTP/1.1 connection open until the body of an answered request has arrived, so that the client reads its
 * answer. Reads at most `maxBytes` and cuts it after `maxMs`. Call it when the request arrives.
 */
export function discardUnreadBody(
  request: IncomingMessage,
  response: ServerResponse,
  bounds: DiscardBounds,
): void {
  // Runs before Node's own listener, which would read the rest without a bound.
  response.prependListener('finish', () => {
    if (!request.complete && !request.socket.destroyed) discard(request, bounds);
  });
}

function discard(request: IncomingMessage, { maxBytes, maxMs }: DiscardBounds): void {
  const { socket } = request;
  const closing = holdClose(socket);
  const cut = setTimeout(() => socket.destroy(), maxMs);
  const stop = () => clearTimeout(cut);
  socket.once('close', stop);
  request.once('end', () => {
    stop();
    socket.off('close', stop);
    closing.release();
  });
  let left = maxBytes;
  request.on('data', (chunk: Buffer) => {
    left -= chunk.byteLength;
    if (left < 0) request.pause();
  });
  // A reader that gave up may have left the stream paused, or a listener that keeps it from flowing.
  request.removeAllListeners('readable');
  request.resume();
}

/** Defers closing the connection after its last answer, as Node would do. */
function holdClose(socket: Socket): { release(): void } {
  const close = socket.destroySoon;
  let isAsked = false;
  socket.destroySoon = () => {
    isAsked = true;
  };
  return {
    release() {
      socket.destroySoon = close;
      if (isAsked) socket.destroySoon();
    },
  };
}
