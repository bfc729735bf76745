import type { FastifyInstance } from 'fastify';

/**
 * Returns the content security policy. Besides the console's own style sheets, a page may use the style elements that
 * have its nonce: the component library writes a few for its breakpoints.
 */
export const contentSecurityPolicy = (nonce?: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    nonce === undefined ? "style-src 'self'" : `style-src 'self' 'nonce-${nonce}'`,
    // The icon of the tab shows the environment.
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

const HEADERS = {
  'content-security-policy': contentSecurityPolicy(),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/**
 * Sends security headers with every response, and rejects requests other than GET and HEAD unless their `Origin` is the
 * console's. Browsers always send that header, and pages can't set it.
 */
export function applyBrowserRules(app: FastifyInstance, url: URL): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(HEADERS);
    reply.header('cache-control', 'no-store');
    if (url.protocol === 'https:') reply.header('strict-transport-security', 'max-age=31536000');
    if (request.method === 'GET' || request.method === 'HEAD') return;
    if (request.headers.origin !== url.origin)
      await reply
        .code(403)
        .send({ code: 'permission_denied', message: 'This call came from a page of another site.' });
  });
}
