import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PublicError } from '../../errors/public-error.ts';
import { redirectTo, type StaticFile, serveFile } from '../static-file.ts';
import type { Site } from './read-site.ts';

const GUIDES = 'guides/';
const NOT_FOUND = '404';

/**
 * Serves the suppliers' site from memory: home, reference and support at the root, everything else below `/guides/`.
 * Pages run only the scripts that they were built with and connect to no other host.
 */
export function serveSite(app: FastifyInstance, { files, scriptHashes }: Site): void {
  const policy = [
    "default-src 'none'",
    `script-src 'self' ${scriptHashes.join(' ')}`,
    "style-src 'self'",
    // Button icons are images inside the style sheet.
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  const headersOf = ({ type }: StaticFile): Record<string, string> =>
    type.startsWith('text/html') ? { 'content-security-policy': policy } : {};

  for (const [path, file] of files) {
    if (!path.startsWith(GUIDES) && path !== NOT_FOUND) serveFile(app, `/${path}`, file, headersOf(file));
  }
  app.route({
    method: ['GET', 'HEAD'],
    url: '/guides',
    handler: (request, reply) => redirectTo('/guides/', request, reply),
  });
  app.route<{ Params: { '*': string } }>({
    method: ['GET', 'HEAD'],
    url: '/guides/*',
    handler: (request, reply) => answer(request.params['*'], request, reply),
  });

  async function answer(path: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const file = files.get(`${GUIDES}${path}`);
    if (file) return file.send(request, reply, headersOf(file));
    const withoutSlash = `${GUIDES}${path.replace(/\/$/, '')}`;
    if (path.endsWith('/') && files.has(withoutSlash)) return redirectTo(`/${withoutSlash}`, request, reply);
    const missing = files.get(NOT_FOUND);
    if (!missing) throw new PublicError('not_found');
    return missing.send(request, reply, headersOf(missing), 404);
  }
}
