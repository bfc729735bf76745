import type { IncomingMessage } from 'node:http';
import { Environment } from '@supplier/proto/common/v1/status';
import type { FastifyInstance } from 'fastify';
import { authenticate, type ServedEnvironment } from '../authentication/authenticate.ts';
import type { Context } from '../context.ts';
import { PublicError } from '../errors/public-error.ts';
import type { FailureReason } from '../metrics.ts';
import { headerValues } from './header-values.ts';
import { exceededFailures } from './rate-limit.ts';

const TAKES: Readonly<Record<ServedEnvironment, string>> = {
  [Environment.SANDBOX]: 'This is the sandbox. Use a test credential: this one is a live credential.',
  [Environment.PRODUCTION]: 'This is production. Use a live credential: this one is a test credential.',
};
const BEARER = /^bearer +([\x21-\x7e]+)$/i;
/** Longer than any credential. */
const MAX_HEADER = 256;
const USE_BEARER = 'Use Authorization: Bearer <credential>.';
const AS_ISSUED = 'Send the credential exactly as issued: letters, digits and underscores only.';

/**
 * Authenticates each request before its body is read. Too many failures from one address get 429. Implements
 * docs/contract.md, sections 4 and 9.
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
    const { bearer, problem } = readAuthorization(request.raw);
    const found = await authenticate(bearer, deps);
    request.publicId = found.publicId ?? null;
    if ('failure' in found) {
      metrics.failedAuthentications.inc({ reason: found.failure });
      throw (await exceededFailures(request, context)) ?? refusalFor(found.failure, environment, problem);
    }
    request.principal = found.credential.principal;
    request.accountLimits = found.credential.limits;
    request.accountSuspended = found.credential.suspended;
    request.lookupMs = performance.now() - began;
  });
}

/**
 * Returns the 401 for a failure. `problem` describes what the header itself shows to be wrong. The response never
 * reveals whether a well-formed credential was ever issued.
 */
function refusalFor(
  failure: FailureReason,
  environment: ServedEnvironment,
  problem: string | undefined,
): PublicError {
  switch (failure) {
    case 'absent':
    case 'malformed':
      return new PublicError('unauthorized', { message: problem });
    case 'other environment':
      return new PublicError('unauthorized', { message: TAKES[environment] });
    case 'unknown':
    case 'wrong secret':
    case 'revoked':
    case 'expired':
      return new PublicError('unauthorized');
  }
}

interface Authorization {
  /** Undefined without an Authorization header; empty when the header contains no possible credential. */
  readonly bearer: string | undefined;
  /** What is wrong with the header and what to do; never quotes its value. */
  readonly problem?: string;
}

/**
 * Reads the bearer credential of a request, which must have exactly one Authorization header. The scheme name is
 * case-insensitive. Implements docs/contract.md, section 4.
 */
function readAuthorization(request: IncomingMessage): Authorization {
  const [header, second] = headerValues(request, 'authorization');
  if (header === undefined)
    return { bearer: undefined, problem: `The Authorization header is missing. ${USE_BEARER}` };
  if (second !== undefined) return { bearer: '', problem: 'Send exactly one Authorization header.' };
  if (/^(?:bearer)? *$/i.test(header))
    return { bearer: '', problem: `The Authorization header has no credential. ${USE_BEARER}` };
  if (!/^bearer +/i.test(header)) return { bearer: '', problem: USE_BEARER };
  const credential = header.length > MAX_HEADER ? undefined : BEARER.exec(header)?.[1];
  if (credential?.startsWith('whsec_'))
    return { bearer: '', problem: 'This is a webhook signing secret. Use your API credential.' };
  if (!credential || !/^\w+$/.test(credential)) return { bearer: '', problem: AS_ISSUED };
  return { bearer: credential };
}
