import type { FastifyInstance } from 'fastify';
import { PublicError } from '../errors/public-error.ts';

/** HTTP/1.1 requires a Host header. The server leaves the check to us: its own answer has no request id. */
export function requireHost(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { httpVersion, headers } = request.raw;
    if (httpVersion === '1.1' && headers.host === undefined) {
      done(new PublicError('bad_request', { sentence: 'The Host header is missing.' }));
    } else done();
  });
}
