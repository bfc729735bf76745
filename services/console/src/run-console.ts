import { drainHttp, lackIn, listenPrivately, runProcess } from '@supplier/lib/runtime/service-runtime';
import { tlsConnector } from '@supplier/lib/runtime/tls';
import { buildConsole, type ConsoleParts } from './app.ts';
import { readConfig } from './config.ts';
import { openStore } from './sessions/open-store.ts';

/**
 * Timeout for opening a connection to a service, TLS included. It is long because people prefer waiting to an error.
 */
const CONNECT_TIMEOUT_MS = 5_000;

/** Runs the console's process, which serves its pages by `servePages`. */
export const runConsole = (servePages: ConsoleParts['servePages']) =>
  runProcess('console', async (process) => {
    const { log, metrics, stopping, onStop } = process;
    const config = readConfig();
    log.level = config.logLevel;
    const { store, keys, readable } = await openStore(process, {
      ...{ shared: config.sharedSessions, idleMs: config.sessions.idleMs },
      folder: new URL('../', import.meta.url),
    });
    const app = buildConsole({
      config,
      log,
      metrics,
      connect: tlsConnector(config.tls, log, CONNECT_TIMEOUT_MS),
      ...{ store, keys },
      servePages,
      stopping,
    });
    const { host, httpPort, privatePort } = config;
    const ready = async () => {
      const lacks = await readable().then(() => undefined, lackIn);
      const isReady = lacks === undefined && app.server.listening && !stopping.aborted;
      return { ready: isReady, ...(lacks !== undefined && { lacks }) };
    };
    const listener = await listenPrivately({ log, metrics, ready }, { host, port: privatePort });
    onStop(
      'private listener',
      () => {
        listener.close();
        listener.closeAllConnections();
      },
      'connections',
    );
    const drain = drainHttp(app.server);
    onStop('console listener', () => drain().then(() => app.close()), 'listeners');
    await app.listen({ host, port: httpPort });
  });
