import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import net, { type Socket } from 'node:net';
import { setTimeout as delay, setImmediate as immediate } from 'node:timers/promises';
import { type TLSSocket, Server as TlsServer } from 'node:tls';

export interface DrainBounds {
  /** A connection that nobody has used for so long is hardly about to be. In milliseconds. */
  readonly unusedMs: number;
  /** For so long connections that are in use may be used again, so that an answer says that they end. In milliseconds. */
  readonly withinMs: number;
}

/** For callers that make a call again when its connection broke. */
const USUAL: DrainBounds = { unusedMs: 2_000, withinMs: 5_000 };
/** For the public, who make nothing again. */
export const PUBLIC_DRAIN: DrainBounds = { unusedMs: 7_000, withinMs: 8_000 };
const LOOK_MS = 50;
const LOOK_TURNS = 5;
/** Before the process gives up on stopping. */
const CUT_MS = 8_500;

/**
 * Watches a server of HTTP/1.1, with or without TLS, and returns what closes it without failing a request: it takes no
 * new connections, and answers on those that are open say `Connection: close`. A connection that has not been used for
 * `unusedMs` is cut, since its client may send on it in that very moment, but hardly will; after `withinMs` all are cut on
 * which nothing is under way. What is under way ends first. Resolves when all are closed. After 8.5 s it cuts what is left.
 * Connections that speak HTTP/2 are left to whoever closes their sessions.
 */
export function drainHttp(server: net.Server, { unusedMs, withinMs } = USUAL): () => Promise<void> {
  const sockets = openSockets(server);
  const underWay = new Set<ServerResponse>();
  let draining = false;

  // First of all: an answer may be written while the request is being announced.
  server.prependListener('request', ({ httpVersionMajor }: IncomingMessage, response: ServerResponse) => {
    if (httpVersionMajor !== 1) return;
    const { socket } = response;
    underWay.add(response);
    response.on('close', () => {
      underWay.delete(response);
      if (socket && sockets.has(socket)) sockets.set(socket, performance.now());
    });
    if (draining) response.setHeader('connection', 'close');
  });

  return async () => {
    draining = true;
    const begun = performance.now();
    const closed = server.listening ? once(server, 'close') : Promise.resolve();
    // Only the listening ends here: the close of HTTP would cut idle connections on which a request may be on its way.
    net.Server.prototype.close.call(server);
    for (const response of underWay) {
      if (!response.headersSent) response.setHeader('connection', 'close');
    }
    const busy = () => new Set([...underWay].map(({ socket }) => socket));
    const cut = setTimeout(() => cutAllBut(new Set(), sockets), CUT_MS);
    while (performance.now() - begun < withinMs && [...sockets.keys()].some((one) => !busy().has(one))) {
      await delay(LOOK_MS);
      // In a process that is short of CPU, requests may have come in this time that nobody has read yet.
      for (let turn = 0; turn < LOOK_TURNS; turn += 1) await immediate();
      cutAllBut(busy(), sockets, unusedMs);
    }
    cutAllBut(busy(), sockets);
    // An answer that had begun before has not said that the connection ends with it.
    for (const response of underWay) response.on('close', () => cutAllBut(busy(), sockets));
    await closed;
    clearTimeout(cut);
    server.close();
  };
}

/** The sockets of a server that speak HTTP/1.1, or do not speak yet, and when each was last used. */
function openSockets(server: net.Server): Map<Socket, number> {
  const sockets = new Map<Socket, number>();
  const keep = (socket: Socket) => {
    sockets.set(socket, performance.now());
    socket.on('close', () => sockets.delete(socket));
  };
  server.on('connection', keep);
  if (server instanceof TlsServer)
    server.on('secureConnection', (socket: TLSSocket) => {
      // From now on the TLS socket stands for the one below it.
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
