import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { authenticate } from '../authentication/authenticate.ts';
import type { Context } from '../context.ts';
import { PublicError } from '../errors/public-error.ts';
import { headerValues } from './header-values.ts';
import { exceededFailures } from './rate-limit.ts';

const BEARER = /^bearer +([\x21-\x7e]+)$/i;
/** Longer than any credential; what is longer is not even looked at. */
const MAX_HEADER = 256;

/**
 * Finds out on whose behalf each request is made, before its body is read. Too many failures from one address are 429.
 * Implements docs/contract.md, sections 4 and 9.
 */
export function authenticateRequests(app: FastifyInstance, context: Context): void {
  const { credentials, clock, metrics } = context;
  const { credentialPrefix, environment } = context.config;
  const deps = { credentialPrefix, environment, credentials, clock };
  app.decorateRequest('principal', null);
  app.decorateRequest('accountLimits', null);
  app.decorateRequest('lookupMs', 0);
  app.addHook('onRequest', async (request) => {
    const began = performance.now();
    const found = await authenticate(bearerOf(request.raw), deps);
    request.publicId = found.publicId ?? null;
    if ('failure' in found) {
      metrics.failedAuthentications.inc({ reason: found.failure });
      throw (await exceededFailures(request, context)) ?? new PublicError('unauthorized');
    }
    request.principal = found.credential.principal;
    request.accountLimits = found.credential.limits;
    request.lookupMs = performance.now() - began;
  });
}

/**
 * The bearer credential of a request that carries exactly one Authorization header; undefined for a request without one,
 * and empty for what cannot be one. The scheme's name may be written in any case. Implements docs/contract.md, section 4.
 */
function bearerOf(request: IncomingMessage): string | undefined {
  const [header, second] = headerValues(request, 'authorization');
  if (header === undefined) return undefined;
  if (second !== undefined || header.length > MAX_HEADER) return '';
  return BEARER.exec(header)?.[1] ?? '';
}
