import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How much of an unread body is discarded, and for how long. */
export interface DiscardBounds {
  readonly maxBytes: number;
  readonly maxMs: number;
}

/**
 * Keeps a connection over HTTP/1.1 open until the body of an answered request has arrived, and discards that body. A
 * client that is still sending would see a closed connection as a network failure and lose the answer. Call it when the
 * request arrives. Once `maxBytes` are discarded nothing more is read, and after `maxMs` the connection is cut, so that
 * a client has time to read its answer but cannot send for ever.
 */
export function discardUnreadBody(
  request: IncomingMessage,
  response: ServerResponse,
  bounds: DiscardBounds,
): void {
  // Before Node's own listener, which would read the rest without a bound.
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

/** Defers what Node does with a connection behind its last answer. */
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
