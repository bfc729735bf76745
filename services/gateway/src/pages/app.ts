import type { FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';
import { serveJourneyPages } from '../journey/journey-pages.ts';
import { buildOpenApi } from '../openapi/document.ts';
import { operations } from '../operations.ts';
import { continueToBody } from '../plugins/unread-body.ts';
import { publicListener } from '../public-listener.ts';
import { readGuides } from './guides/read-guides.ts';
import { serveGuides } from './guides/serve-guides.ts';
import { serveReference } from './reference/serve-reference.ts';
import { serveSupport } from './support.ts';

/** The only bodies here are those of forms without fields. */
const MAX_FORM_BYTES = 1024;

const HOME = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Supplier submissions</title>
<h1>Supplier submissions</h1>
<p>This host serves pages. The interface for suppliers is on its own host; here are <a href="/guides/">guides</a> and its <a href="/docs">reference</a>.</p>
</html>
`;

/**
 * Builds the second public listener: the guides, the reference and journey pages. `guidesFolder` is
 * that of the built guides: without them, nothing is under `/guides/`. It shares the checks of the API's listener, and
 * neither places, allowances nor connections to services: what happens to one does not slow the other.
 */
export function buildPages(
  context: Pick<Context, 'config' | 'log' | 'submissionForPages' | 'metrics' | 'clock' | 'checkLimit'>,
  guidesFolder?: URL,
): FastifyInstance {
  const { config, log } = context;
  const app = publicListener(context, { listener: 'pages', routes: [], folder: '/guides/' });
  guardPages(app);
  continueToBody(app, MAX_FORM_BYTES);

  app.get('/', (_request, reply) =>
    reply
      .headers({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
      })
      .send(HOME),
  );
  serveReference(app, buildOpenApi(operations, config.screeningProvider));
  serveSupport(app, config.support);
  const guides = guidesFolder && readGuides(guidesFolder, config.publicAddresses);
  if (guides) serveGuides(app, guides);
  serveJourneyPages(app, { config, log, submission: context.submissionForPages });
  return app;
}

/** What every page says unless it says otherwise: nobody keeps it, and nobody is told where its reader came from. */
function guardPages(app: FastifyInstance): void {
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
    if (!reply.hasHeader('referrer-policy')) reply.header('referrer-policy', 'no-referrer');
    done(null, payload);
  });
}
