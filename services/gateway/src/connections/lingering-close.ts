import type { Duplex } from 'node:stream';

/** What is still read of a connection that ends, so that its sender gets to see the answer. */
const MAX_DRAINED_BYTES = 262_144;
const LINGER_MS = 1_000;

/**
 * Ends a connection behind its last answer. Closing under bytes that nobody has read would reset the connection, and the
 * answer could be lost with it: so what still comes is dropped until its sender ends too, after 256 KiB or 1 s at the
 * latest. Nothing of it is read as HTTP any more.
 */
export function closeLingering(socket: Duplex): void {
  if (socket.destroyed) return;
  // A connection that breaks is gone already; without a listener its error would end the process.
  socket.on('error', () => {});
  const cut = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(cut));
  let left = MAX_DRAINED_BYTES;
  socket.removeAllListeners('data');
  socket.on('data', (chunk: Buffer) => {
    left -= chunk.byteLength;
    if (left < 0) socket.destroy();
  });
  // An unread body may have stopped the reading without the stream's knowledge.
  socket.pause();
  socket.resume();
  socket.end();
}
