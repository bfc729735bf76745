import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { contentSecurityPolicy } from './browser-rules.ts';

const YEAR_SECONDS = 31_536_000;
const PAGE = 'index.html';
/** Placeholder for the nonce of the page's style elements. */
export const NONCE = '__nonce__';
const NONCE_BYTES = 16;
const ASSETS = '/assets/';
/** What no screen is called: files at the root, such as robots.txt, and paths of an API. */
const NO_SCREEN = /^\/(?:[^/?]*\.|(?:api|rpc)(?:[/?]|$))/;

export const newNonce = (): string => randomBytes(NONCE_BYTES).toString('base64');

/**
 * Serves the application in `folder`. Files under `/assets/` are named by their contents and cached permanently. Every
 * other path of a screen returns the single page, which selects the screen by path, with a fresh nonce.
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
  app.get('/*', async (request, reply) => {
    if (NO_SCREEN.test(request.url)) return reply.callNotFound();
    const page = await readFile(new URL(PAGE, folder), 'utf8');
    const nonce = newNonce();
    return reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', contentSecurityPolicy(nonce))
      .send(page.replaceAll(NONCE, nonce));
  });
}
