import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { createServer } from 'vite';
import { contentSecurityPolicy } from './browser-rules.ts';
import { NONCE, newNonce } from './serve-pages.ts';

/** Paths of modules and of Vite's client. */
const MODULES = /^\/(?:@|src\/|node_modules\/)/;

/** Where modules come from: the application, what it shares with services, and packages. */
const SOURCES = ['./', '../../lib/', '../../../proto/', '../../../node_modules/'];
const PRIVATE = ['**/.run/**', '**/.git/**', '.env', '.env.*', '*.{crt,pem,key}'];

/**
 * Serves the application from its sources in `folder`, for development: an edit appears in open pages without a new
 * login. The page may also run the inline script that prepares React for this.
 */
export function serveSources(app: FastifyInstance, folder: URL, stopping: AbortSignal): void {
  app.register(async (pages) => {
    const vite = await createServer({
      root: fileURLToPath(folder),
      configFile: fileURLToPath(new URL('../../web/vite.config.mjs', import.meta.url)),
      configLoader: 'native',
      appType: 'custom',
      html: { cspNonce: NONCE },
      logLevel: 'error',
      server: {
        middlewareMode: { server: app.server },
        ws: { server: app.server },
        // Modules are served before a login: not the stack's keys and credentials beside the sources.
        fs: { allow: SOURCES.map((path) => fileURLToPath(new URL(path, folder))), deny: PRIVATE },
      },
    });
    // The server can't close while pages are connected.
    stopping.addEventListener('abort', () => void vite.close());
    pages.get('/*', async (request, reply) => {
      if (MODULES.test(request.url)) {
        reply.hijack();
        return vite.middlewares(request.raw, reply.raw, () => reply.raw.writeHead(404).end());
      }
      const source = await readFile(new URL('index.html', folder), 'utf8');
      const page = await vite.transformIndexHtml(request.url, source);
      const nonce = newNonce();
      const policy = contentSecurityPolicy(nonce).replace("script-src 'self'", `$& 'nonce-${nonce}'`);
      return reply
        .type('text/html; charset=utf-8')
        .header('content-security-policy', policy)
        .send(page.replaceAll(NONCE, nonce));
    });
  });
}
