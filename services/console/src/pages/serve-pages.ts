import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

const YEAR_SECONDS = 31_536_000;
const PAGE = 'index.html';
const ASSETS = '/assets/';

/**
 * Serves the application in `folder`. Files under `/assets/` are named by their contents and cached permanently. Every
 * other path returns the single page, which selects the screen by path.
 */
export function servePages(app: FastifyInstance, folder: URL): void {
  app.register(fastifyStatic, {
    root: folder,
    serve: false,
    preCompressed: true,
    cacheControl: false,
    // Only for files that exist: a 404 must not be cached.
    setHeaders(reply, path) {
      if (path.includes(ASSETS)) reply.header('cache-control', `public, max-age=${YEAR_SECONDS}, immutable`);
    },
  });
  app.get<{ Params: { '*': string } }>(`${ASSETS}*`, (request, reply) =>
    reply.sendFile(`${ASSETS}${request.params['*']}`),
  );
  app.get('/*', (_request, reply) => reply.sendFile(PAGE));
}
