import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

const YEAR_SECONDS = 31_536_000;
const PAGE = 'index.html';
const ASSETS = '/assets/';

/**
 * Serves the application in `folder`: what it is made of under `/assets/`, named by its contents and so kept for good, and its
 * one page under every other path, since which screen a path means is for the page to say.
 */
export function servePages(app: FastifyInstance, folder: URL): void {
  app.register(fastifyStatic, {
    root: folder,
    serve: false,
    preCompressed: true,
    cacheControl: false,
    // Of what is there: that something is missing must not be kept.
    setHeaders(reply, path) {
      if (path.includes(ASSETS)) reply.header('cache-control', `public, max-age=${YEAR_SECONDS}, immutable`);
    },
  });
  app.get<{ Params: { '*': string } }>(`${ASSETS}*`, (request, reply) =>
    reply.sendFile(`${ASSETS}${request.params['*']}`),
  );
  app.get('/*', (_request, reply) => reply.sendFile(PAGE));
}
