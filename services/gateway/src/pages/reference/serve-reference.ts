import { hash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { OpenApiDocument } from '../../openapi/document-types.ts';
import { renderReference } from './page.ts';
import { STYLE } from './style.ts';

/** The page is style and text: nothing is loaded, run, sent or framed. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const GUARDS = {
  'cache-control': 'public, max-age=300',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

/**
 * Serves the published reference of the public API: `/openapi.json` for programs and `/docs` for people, both written
 * once. Implements docs/contract.md, section 1.
 */
export function serveReference(app: FastifyInstance, document: OpenApiDocument): void {
  const json = JSON.stringify(document);
  const page = renderReference(document);
  app.get('/openapi.json', (_request, reply) =>
    // Open to any page: there is no secret in it, and the tools that read it run in browsers.
    reply
      .headers({
        ...GUARDS,
        'content-type': 'application/json; charset=utf-8',
        'access-control-allow-origin': '*',
      })
      .send(json),
  );
  app.get('/docs', (_request, reply) =>
    reply
      .headers({ ...GUARDS, 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY })
      .send(page),
  );
}
