import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { negotiate } from '@fastify/accept-negotiator';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const CODINGS = {
  br: (body: Buffer) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (body: Buffer) => promisify(gzip)(body),
};
type Coding = keyof typeof CODINGS;
const isCoding = (name: string | null): name is Coding => name !== null && name in CODINGS;

/** Order of preference when the reader has none. */
const PREFERRED = [...Object.keys(CODINGS), 'identity'];
/** Smaller files fit one packet anyway. */
const MIN_COMPRESSED_BYTES = 1024;
const COMPRESSIBLE = /^(?:text\/|application\/json|image\/svg)/;

/** A file in memory that does not change while the process runs. Each encoding is computed once, on first request. */
export class StaticFile {
  readonly type: string;
  readonly #body: Buffer;
  /** Weak, because all encodings share it. */
  readonly #etag: string;
  readonly #compressed = new Map<Coding, Promise<Buffer>>();

  constructor(type: string, body: string | Buffer) {
    this.type = type;
    this.#body = Buffer.from(body);
    this.#etag = `W/"${createHash('sha256').update(this.#body).digest('base64url').slice(0, 27)}"`;
  }

  /** Sends the file with `headers`, or 304 when the reader has the current version. */
  async send(
    request: FastifyRequest,
    reply: FastifyReply,
    headers: Readonly<Record<string, string>>,
    status = 200,
  ): Promise<FastifyReply> {
    const isCompressible = COMPRESSIBLE.test(this.type) && this.#body.length >= MIN_COMPRESSED_BYTES;
    reply.code(status).headers({
      'cache-control': 'public, max-age=300',
      'x-content-type-options': 'nosniff',
      'content-type': this.type,
      ...headers,
      ...(isCompressible ? { vary: 'accept-encoding' } : {}),
    });
    if (status === 200) {
      reply.header('etag', this.#etag);
      if (hasTag(request.headers['if-none-match'], this.#etag)) {
        return reply.code(304).removeHeader('content-type').send();
      }
    }
    const coding = isCompressible ? negotiate(request.headers['accept-encoding'] ?? '', PREFERRED) : null;
    if (!isCoding(coding)) return reply.send(this.#body);
    return reply.header('content-encoding', coding).send(await this.#in(coding));
  }

  #in(coding: Coding): Promise<Buffer> {
    const known = this.#compressed.get(coding);
    if (known) return known;
    const made = CODINGS[coding](this.#body);
    this.#compressed.set(coding, made);
    return made;
  }
}

/** Serves a file for GET and HEAD at `path`, which has no trailing slash, and redirects from the path with one. */
export function serveFile(
  app: FastifyInstance,
  path: string,
  file: StaticFile,
  headers: Readonly<Record<string, string>> = {},
): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: path,
    handler: (request, reply) => file.send(request, reply, headers),
  });
  if (path === '/') return;
  app.route({
    method: ['GET', 'HEAD'],
    url: `${path}/`,
    handler: (request, reply) => redirectTo(path, request, reply),
  });
}

/** Redirects permanently and keeps the query. `path` must be one of our paths, never taken from the request. */
export function redirectTo(path: string, { url }: FastifyRequest, reply: FastifyReply): FastifyReply {
  const query = url.includes('?') ? url.slice(url.indexOf('?')) : '';
  return reply.redirect(`${path}${query}`, 308);
}

/** Compares weakly, as RFC 9110 requires for If-None-Match. */
function hasTag(ifNoneMatch: string | undefined, etag: string): boolean {
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '');
  return ifNoneMatch?.split(',').some((tag) => tag.trim() === '*' || opaque(tag) === opaque(etag)) ?? false;
}
