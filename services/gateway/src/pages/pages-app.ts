import type { FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';
import { serveJourneyPages } from '../journey/journey-pages.ts';
import { buildOpenApi } from '../openapi/document.ts';
import { operations } from '../operations.ts';
import { continueToBody } from '../plugins/unread-body.ts';
import { publicListener } from '../public-listener.ts';
import { readSite } from './site/read-site.ts';
import { serveSite } from './site/serve-site.ts';
import { StaticFile, serveFile } from './static-file.ts';

/** The only bodies here are forms without fields. */
const MAX_FORM_BYTES = 1024;

/**
 * Builds the second public listener: the suppliers' site, the OpenAPI document and journey pages. `siteFolder` contains
 * the built site; without it, only the other two are served. It uses the same checks as the API listener but separate
 * places, limits and service connections, so that neither slows the other.
 */
export function buildPages(
  context: Pick<Context, 'config' | 'log' | 'submissionForPages' | 'metrics' | 'clock' | 'checkLimit'>,
  siteFolder?: URL,
): FastifyInstance {
  const { config, log } = context;
  const app = publicListener(context, { listener: 'pages' });
  guardPages(app);
  continueToBody(app, MAX_FORM_BYTES);

  const document = JSON.stringify(buildOpenApi(operations, config.screeningProvider));
  // Readable from any origin: it contains no secret, and tools that read it run in browsers.
  serveFile(app, '/openapi.json', new StaticFile('application/json; charset=utf-8', document), {
    'access-control-allow-origin': '*',
  });
  const site = siteFolder && readSite(siteFolder, config);
  if (site) serveSite(app, site);
  serveJourneyPages(app, { config, log, submission: context.submissionForPages });
  return app;
}

/** Sets default headers on every response: no caching and no referrer. */
function guardPages(app: FastifyInstance): void {
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
    if (!reply.hasHeader('referrer-policy')) reply.header('referrer-policy', 'no-referrer');
    done(null, payload);
  });
}
