import type { Clock } from '@supplier/lib/time';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { PublicError } from '../errors/public-error.ts';
import { addressLimit, credentialLimit, failureLimit, type Limit, type Verdict } from '../limits/limit.ts';
import { principalOf } from './principal.ts';

type Limiting = Pick<Context, 'config' | 'checkLimit' | 'clock'>;

/**
 * Bounds what comes from one address, before anything else of a request is looked at. The address is the connection's,
 * or the one that a trusted proxy forwards. Implements docs/contract.md, section 9.
 */
export function limitAddresses(app: FastifyInstance, context: Limiting): void {
  const { limits } = context.config;
  app.addHook('onRequest', (request, _reply, done) => {
    passUnder(addressLimit(limits, request.ip), context, done);
  });
}

/**
 * Bounds what one credential reads and, apart from that, what it writes, permitted or not. Implements docs/contract.md,
 * section 9.
 */
export function limitCredentials(app: FastifyInstance, context: Limiting): void {
  const { limits } = context.config;
  app.addHook('onRequest', (request, _reply, done) => {
    const kind = request.method === 'GET' ? 'read' : 'write';
    const limit = credentialLimit(limits, request.accountLimits ?? {}, principalOf(request), kind);
    passUnder(limit, context, done);
  });
}

/**
 * What a request whose authentication failed is answered: 401 as long as its address has failures left, then 429. Only
 * failures are counted and only they are refused: a valid credential passes from the same address. What failed for
 * another reason than the credential is passed on as it is. Implements docs/contract.md, sections 4 and 9.
 */
export async function limitedFailure(
  request: Pick<FastifyRequest, 'ip'>,
  failure: unknown,
  { config, checkLimit, clock }: Limiting,
): Promise<unknown> {
  if (!(failure instanceof PublicError) || failure.code !== 'unauthorized') return failure;
  const limit = failureLimit(config.limits, request.ip);
  const verdict = await checkLimit(limit);
  return verdict.passes ? failure : rateLimited(limit, verdict, clock);
}

/** Goes on with a request that passes under a limit, at once where no store has to be queried; refuses any other. */
function passUnder(limit: Limit, { checkLimit, clock }: Limiting, done: (error?: PublicError) => void): void {
  const settle = (verdict: Verdict) => (verdict.passes ? done() : done(rateLimited(limit, verdict, clock)));
  const verdict = checkLimit(limit);
  if (verdict instanceof Promise) void verdict.then(settle);
  else settle(verdict);
}

/**
 * The refusal with the four headers of the contract: whole seconds until the next request can pass, the allowance, what
 * is left of it, and that moment as a Unix timestamp. Implements docs/contract.md, sections 8 and 9.
 */
function rateLimited(
  { max }: Limit,
  { retryMs }: Extract<Verdict, { passes: false }>,
  clock: Clock,
): PublicError {
  const now = clock.now().getTime();
  const seconds = Math.max(1, Math.ceil(retryMs / 1000));
  return new PublicError('rate_limited', {
    headers: {
      'retry-after': String(seconds),
      'ratelimit-limit': String(max),
      'ratelimit-remaining': '0',
      'ratelimit-reset': String(Math.ceil((now + retryMs) / 1000)),
    },
  });
}
