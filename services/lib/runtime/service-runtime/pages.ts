import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import Fastify, { type FastifyInstance, type FastifyPluginCallback, type FastifyReply } from 'fastify';
import type { Logger } from '../log/index.ts';
import { Registry, scraperOf } from '../metrics/index.ts';
import { type Readiness, readinessLog, readinessPage } from './readiness.ts';

const TEXT = 'text/plain; charset=utf-8';

/** Creates an application without routes, which reads no body. Pass its `routing` to listeners. */
export function bareApp(): FastifyInstance {
  const notFound = (reply: FastifyReply) => answer(reply.code(404), 'not found\n');
  const app = Fastify({
    exposeHeadRoutes: false,
    frameworkErrors: (_error, _request, reply) => void notFound(reply),
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _body, done) => done(null));
  app.setNotFoundHandler((_request, reply) => notFound(reply));
  app.setErrorHandler<{ statusCode?: number }>(({ statusCode = 500 }, _request, reply) =>
    reply.code(statusCode).send(),
  );
  return app;
}

/** Serves GET /livez (the process), /readyz (its dependencies) and /metrics, without a token. */
export function pageRoutes(
  readinessNow: () => Readiness | Promise<Readiness>,
  scrape: () => Promise<string>,
): FastifyPluginCallback {
  return (app, _options, done) => {
    app.get('/livez', (_request, reply) => answer(reply, 'ok\n'));
    app.get('/readyz', async (_request, reply) => {
      const readiness = await readinessNow();
      return answer(reply.code(readiness.ready ? 200 : 503), readinessPage(readiness));
    });
    app.get('/metrics', async (_request, reply) =>
      answer(reply, await scrape(), Registry.PROMETHEUS_CONTENT_TYPE),
    );
    done();
  };
}

const answer = (reply: FastifyReply, text: string, type = TEXT) =>
  reply.type(type).headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }).send(text);

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
