import type { FastifyInstance, FastifyReply } from 'fastify';
import type { GuideFile, Guides } from './read-guides.ts';

const NOT_FOUND = '404';

/**
 * Serves the suppliers' guides below `/guides/`, from memory. Pages run the scripts that they were built with and no other,
 * and reach no other host.
 */
export function serveGuides(app: FastifyInstance, { files, scriptHashes }: Guides): void {
  const policy = [
    "default-src 'none'",
    `script-src 'self' ${scriptHashes.join(' ')}`,
    "style-src 'self'",
    // Icons of buttons are pictures within the style sheet.
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  const send = (reply: FastifyReply, status: number, { type, body }: GuideFile) =>
    reply
      .code(status)
      .headers({
        'cache-control': 'public, max-age=300',
        'x-content-type-options': 'nosniff',
        'content-type': type,
        ...(type.startsWith('text/html') ? { 'content-security-policy': policy } : {}),
      })
      .send(body);

  app.get('/guides', (_request, reply) => reply.redirect('/guides/', 308));
  const answer = (path: string, reply: FastifyReply) => {
    const file = files.get(path);
    if (file) return send(reply, 200, file);
    const missing = files.get(NOT_FOUND);
    return missing ? send(reply, 404, missing) : reply.callNotFound();
  };
  app.get('/guides/', (_request, reply) => answer('', reply));
  app.get<{ Params: { '*': string } }>('/guides/*', (request, reply) => answer(request.params['*'], reply));
}
