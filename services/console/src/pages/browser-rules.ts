import type { FastifyInstance } from 'fastify';
import { UNREADABLE } from './refuse-unreadable.ts';

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

/** Returns the headers of every response of a console at this URL. */
export const securityHeaders = ({ protocol }: URL): Readonly<Record<string, string>> => ({
  'content-security-policy': contentSecurityPolicy(),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
  ...(protocol === 'https:' ? { 'strict-transport-security': 'max-age=31536000' } : {}),
});

/**
 * Sends security headers with every response, rejects requests without a `Host`, and rejects those other than GET and
 * HEAD unless their `Origin` is the console's. Browsers always send that header, and pages can't set it.
 */
export function applyBrowserRules(app: FastifyInstance, url: URL): void {
  const headers = securityHeaders(url);
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(headers);
    // Node's own answer has no headers.
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1')
      return await reply.code(400).send(UNREADABLE);
    if (request.method === 'GET' || request.method === 'HEAD') return;
    if (request.headers.origin !== url.origin)
      await reply
        .code(403)
        .send({ code: 'permission_denied', message: 'This call came from a page of another site.' });
  });
}
