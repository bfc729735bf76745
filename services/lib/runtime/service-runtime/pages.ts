import Fastify, { type FastifyInstance, type FastifyPluginCallback, type FastifyReply } from 'fastify';
import { Registry } from '../metrics/index.ts';
import { type Readiness, readinessPage } from './readiness.ts';

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
