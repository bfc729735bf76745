import type { IncomingMessage } from 'node:http';
import { Environment } from '@supplier/proto/common/v1/status';
import type { FastifyInstance } from 'fastify';
import { authenticate, type ServedEnvironment } from '../authentication/authenticate.ts';
import type { FailureReason } from '../authentication/failure-reason.ts';
import type { Context } from '../context.ts';
import { PublicError } from '../errors/public-error.ts';
import { headerValues } from './header-values.ts';
import { exceededFailures } from './rate-limit.ts';

const TAKES: Readonly<Record<ServedEnvironment, string>> = {
  [Environment.SANDBOX]:
    'This is the sandbox, which takes test credentials only; the credential is a live one.',
  [Environment.PRODUCTION]:
    'This is production, which takes live credentials only; the credential is a test one.',
};
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
  app.decorateRequest('accountSuspended', false);
  app.decorateRequest('lookupMs', 0);
  app.addHook('onRequest', async (request) => {
    const began = performance.now();
    const found = await authenticate(bearerOf(request.raw), deps);
    request.publicId = found.publicId ?? null;
    if ('failure' in found) {
      metrics.failedAuthentications.inc({ reason: found.failure });
      throw (await exceededFailures(request, context)) ?? refusalFor(found.failure, environment);
    }
    request.principal = found.credential.principal;
    request.accountLimits = found.credential.limits;
    request.accountSuspended = found.credential.suspended;
    request.lookupMs = performance.now() - began;
  });
}

/** Says more than that the credential is not valid only of what its sender sees in it: nothing of whether it was ever issued. */
function refusalFor(failure: FailureReason, environment: ServedEnvironment): PublicError {
  switch (failure) {
    case 'absent':
      return new PublicError('unauthorized', {
        message: 'There is no credential: send the header Authorization: Bearer <credential>.',
      });
    case 'other environment':
      return new PublicError('unauthorized', { message: TAKES[environment] });
    case 'malformed':
    case 'unknown':
    case 'wrong secret':
    case 'revoked':
    case 'expired':
      return new PublicError('unauthorized');
  }
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
