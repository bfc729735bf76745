import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import net, { type Socket } from 'node:net';
import { setTimeout as delay, setImmediate as immediate } from 'node:timers/promises';
import { type TLSSocket, Server as TlsServer } from 'node:tls';

/**
 * For callers that retry when a connection breaks. One idle for `unusedMs` is unlikely to be used at this moment; others
 * may be used again for `withinMs`, so that an answer can announce their end.
 */
const USUAL = { unusedMs: 2_000, withinMs: 5_000 };
/** For the public, whose clients may not retry. */
export const PUBLIC_DRAIN: typeof USUAL = { unusedMs: 7_000, withinMs: 8_000 };
const LOOK_MS = 50;
const LOOK_TURNS = 5;
/** Shorter than the time after which the process gives up on stopping. */
const CUT_MS = 8_500;

/**
 * Watches an HTTP/1.1 server, with or without TLS, and returns a function that closes it without failing a request.
 * Closing accepts no new connections and sends `Connection: close` with answers on open ones. A connection idle for
 * `unusedMs` is cut, since its client is unlikely to send at that very moment; after `withinMs` all connections without
 * a request in flight are cut. Requests in flight finish first. Resolves when all connections are closed; cuts the
 * remaining ones after 8.5 s. HTTP/2 connections are left to `closeSessions`.
 */
export function drainHttp(server: net.Server, { unusedMs, withinMs } = USUAL): () => Promise<void> {
  const sockets = openSockets(server);
  const inProgress = new Set<ServerResponse>();
  let draining = false;

  // Registered first: an answer may be written while the request event is being emitted.
  server.prependListener('request', ({ httpVersionMajor }: IncomingMessage, response: ServerResponse) => {
    if (httpVersionMajor !== 1) return;
    const { socket } = response;
    inProgress.add(response);
    response.on('close', () => {
      inProgress.delete(response);
      if (socket && sockets.has(socket)) sockets.set(socket, performance.now());
    });
    if (draining) response.setHeader('connection', 'close');
  });

  return async () => {
    draining = true;
    const startedAt = performance.now();
    const closed = server.listening ? once(server, 'close') : Promise.resolve();
    // Only stops listening: close() of the HTTP server would also cut idle connections, on which a request may be on
    // its way.
    net.Server.prototype.close.call(server);
    for (const response of inProgress) {
      if (!response.headersSent) response.setHeader('connection', 'close');
    }
    const busy = () => new Set([...inProgress].map(({ socket }) => socket));
    const cut = setTimeout(() => cutAllBut(new Set(), sockets), CUT_MS);
    while (performance.now() - startedAt < withinMs && [...sockets.keys()].some((one) => !busy().has(one))) {
      await delay(LOOK_MS);
      // On a process short of CPU, requests may have arrived that are not read yet.
      for (let turn = 0; turn < LOOK_TURNS; turn += 1) await immediate();
      cutAllBut(busy(), sockets, unusedMs);
    }
    cutAllBut(busy(), sockets);
    // An answer that began earlier did not announce the end of the connection.
    for (const response of inProgress) response.on('close', () => cutAllBut(busy(), sockets));
    await closed;
    clearTimeout(cut);
    server.close();
  };
}

/** Tracks the sockets of a server that speak HTTP/1.1, or have sent nothing yet, and when each was last used. */
function openSockets(server: net.Server): Map<Socket, number> {
  const sockets = new Map<Socket, number>();
  const keep = (socket: Socket) => {
    sockets.set(socket, performance.now());
    socket.on('close', () => sockets.delete(socket));
  };
  server.on('connection', keep);
  if (server instanceof TlsServer)
    server.on('secureConnection', (socket: TLSSocket) => {
      // From now on the TLS socket replaces the underlying one.
      for (const below of sockets.keys())
        if (below.remotePort === socket.remotePort && below.remoteAddress === socket.remoteAddress)
          sockets.delete(below);
      if (socket.alpnProtocol !== 'h2') keep(socket);
    });
  return sockets;
}

function cutAllBut(
  busy: ReadonlySet<Socket | null>,
  sockets: ReadonlyMap<Socket, number>,
  unusedMs = 0,
): void {
  const since = performance.now() - unusedMs;
  for (const [socket, usedAt] of sockets) if (!busy.has(socket) && usedAt <= since) socket.destroy();
}
