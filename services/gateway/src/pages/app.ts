import { type FastifyInstance, type FastifyReply, fastify } from 'fastify';
import type { Context } from '../context.ts';
import { renderError } from '../errors/render-error.ts';
import { toPublicError } from '../errors/to-public-error.ts';
import { serveJourneyPages } from '../journey/journey-pages.ts';
import { buildOpenApi } from '../openapi/document.ts';
import { operations } from '../operations.ts';
import { admitAtMost } from '../plugins/admission.ts';
import { answerErrors } from '../plugins/error-handler.ts';
import { requireHost } from '../plugins/host-header.ts';
import { measureRequests } from '../plugins/measure-requests.ts';
import { refuseUnknown } from '../plugins/not-found.ts';
import { carryRequestId } from '../plugins/request-id.ts';
import { answerOddRequests } from '../plugins/unreadable-request.ts';
import { MAX_CONNECTIONS, MAX_IN_FLIGHT, serverOptions } from '../server-options.ts';
import { serveReference } from './reference/serve-reference.ts';

const HOME = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Supplier submissions</title>
<h1>Supplier submissions</h1>
<p>This host serves pages. The interface for suppliers is on its own host; its <a href="/docs">reference</a> is here.</p>
</html>
`;

/**
 * Builds the second public listener: pages, and the health of this process. Liveness says that the process answers;
 * readiness that the API listener takes requests. Neither depends on another service: a gateway whose dependencies are
 * unavailable still answers, and taking it out of service would help nobody.
 */
export function buildPages(
  { config, log, submission, metrics }: Pick<Context, 'config' | 'log' | 'submission' | 'metrics'>,
  ready: () => boolean,
): FastifyInstance {
  const app = fastify({
    ...serverOptions(log, config.trustedProxies),
    frameworkErrors: (error, _request, reply) => {
      renderError(reply, toPublicError(error));
    },
  });
  app.server.maxConnections = MAX_CONNECTIONS;
  answerOddRequests(app);
  answerErrors(app, log);
  carryRequestId(app);
  measureRequests(app, metrics);
  admitAtMost(app, metrics, 'pages', MAX_IN_FLIGHT);
  requireHost(app);
  refuseUnknown(app, []);

  app.get('/', (_request, reply) =>
    reply
      .headers({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': "default-src 'none'",
      })
      .send(HOME),
  );
  serveReference(app, buildOpenApi(operations, config.screeningProvider));
  serveJourneyPages(app, { config, log, submission });
  app.get('/livez', (_request, reply) => sayHealth(reply, true));
  app.get('/readyz', (_request, reply) => sayHealth(reply, ready()));
  return app;
}

function sayHealth(reply: FastifyReply, good: boolean): FastifyReply {
  return reply
    .code(good ? 200 : 503)
    .headers({ 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
    .send(good ? 'ok\n' : 'not ready\n');
}
