import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Logger } from '../log/index.ts';
import { type Registry, scraperOf } from '../metrics/index.ts';
import { bareApp, pageRoutes } from './pages.ts';
import { type Readiness, readinessLog } from './readiness.ts';

/** Probes and scrapers are few; anyone else who finds the port takes nothing from the public listeners. */
const MAX_CONNECTIONS = 100;
const REQUEST_TIMEOUT_MS = 5_000;
const SLOWNESS_CHECK_MS = 1_000;
const IDLE_TIMEOUT_MS = 30_000;
/** Longer than scrapers usually pause. */
const KEEP_ALIVE_MS = 70_000;

/**
 * Starts the operators' listener of a public process: pages without a token. Logs what `ready` lacks when that changes.
 * Resolves when listening. Never expose its port to the public.
 */
export async function listenPrivately(
  { log, metrics, ready }: { log: Logger; metrics: Registry; ready: () => Readiness | Promise<Readiness> },
  address: { host: string; port: number },
): Promise<Server> {
  const note = readinessLog(log);
  const readinessNow = async () => {
    const readiness = await ready();
    note(readiness);
    return readiness;
  };
  const app = bareApp();
  app.register(pageRoutes(readinessNow, scraperOf(metrics, log)));
  await app.ready();
  const server = createServer(
    {
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: SLOWNESS_CHECK_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    app.routing,
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.setTimeout(IDLE_TIMEOUT_MS);
  server.listen(address.port, address.host);
  await once(server, 'listening');
  return server;
}
