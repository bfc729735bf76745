import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import net, { type Socket } from 'node:net';
import { setTimeout as delay, setImmediate as immediate } from 'node:timers/promises';

/** Clients that were about to send have this long to do so. */
const DRAIN_MS = 1_000;
const QUIET_MS = 50;
const QUIET_TURNS = 5;
/** Before the process gives up on stopping. */
const CUT_MS = 8_500;

/**
 * Watches an HTTP/1.1 server and returns what closes it without failing a request: it takes no new connections, and
 * answers on those that are open say `Connection: close`. When no request has come for 50 ms, or after a second, the
 * connections on which nothing is under way are cut; what is under way ends first. Resolves when all are closed. After
 * 8.5 s it cuts what is left.
 */
export function drainHttp(server: Server): () => Promise<void> {
  const sockets = new Set<Socket>();
  const underWay = new Set<ServerResponse>();
  let draining = false;
  let requests = 0;

  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  // First of all: an answer may be written while the request is being announced.
  server.prependListener('request', (_request, response) => {
    requests += 1;
    underWay.add(response);
    response.on('close', () => underWay.delete(response));
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
    const cut = setTimeout(() => server.closeAllConnections(), CUT_MS);
    let before: number;
    do {
      before = requests;
      await delay(QUIET_MS);
      // In a process that is short of CPU, requests may have come in this time that nobody has read yet.
      for (let turn = 0; turn < QUIET_TURNS; turn += 1) await immediate();
    } while (requests > before && performance.now() - begun < DRAIN_MS);

    const busy = new Set([...underWay].map(({ socket }) => socket));
    for (const socket of sockets) if (!busy.has(socket)) socket.destroy();
    // An answer that had begun before has not said that the connection ends with it.
    for (const response of underWay) response.on('close', () => server.closeIdleConnections());
    await closed;
    clearTimeout(cut);
    server.close();
  };
}
