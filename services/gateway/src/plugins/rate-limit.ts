import type { Clock } from '@supplier/lib/text/time';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { PublicError } from '../errors/public-error.ts';
import { credentialLimit, failureLimit, type Limit, type Sender, type Verdict } from '../limits/limit.ts';
import { principalOf } from './principal.ts';

type Limiting = Pick<Context, 'config' | 'checkLimit' | 'clock' | 'metrics'>;

/**
 * Bounds what comes from one address, before anything else of a request is looked at. The address is the connection's,
 * or the one that a trusted proxy forwards. Implements docs/contract.md, section 9.
 */
export function limitAddresses(
  app: FastifyInstance,
  context: Omit<Limiting, 'config'>,
  limitOf: (from: Sender) => Limit,
): void {
  app.addHook('onRequest', (request, _reply, done) => {
    passUnder('address', limitOf(request), context, done);
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
    passUnder(kind, limit, context, done);
  });
}

/**
 * Counts a failed authentication; resolves to the 429 it is answered with once its address has none left, to undefined
 * before. Only failures are counted and only they are refused: a valid credential passes from the same address.
 * Implements docs/contract.md, sections 4 and 9.
 */
export async function exceededFailures(
  { ip }: Pick<FastifyRequest, 'ip'>,
  { config, checkLimit, clock, metrics }: Limiting,
): Promise<PublicError | undefined> {
  const limit = failureLimit(config.limits, ip);
  const verdict = await checkLimit(limit);
  if (verdict.passes) return undefined;
  metrics.limitedRequests.inc({ limit: 'failure' });
  return rateLimited(limit, verdict, clock);
}

/** Goes on with a request that passes under a limit, at once where no store has to be queried; refuses any other. */
function passUnder(
  name: 'address' | 'write' | 'read',
  limit: Limit,
  { checkLimit, clock, metrics }: Omit<Limiting, 'config'>,
  done: (error?: PublicError) => void,
): void {
  const settle = (verdict: Verdict) => {
    if (verdict.passes) return done();
    metrics.limitedRequests.inc({ limit: name });
    done(rateLimited(limit, verdict, clock));
  };
  const verdict = checkLimit(limit);
  if (verdict instanceof Promise) void verdict.then(settle);
  else settle(verdict);
}

/**
 * The refusal with the four headers of the contract: whole seconds until the next request can pass, the allowance, what
 * is left of it, and that moment as a Unix timestamp. Never later than a whole window, though what was counted is forgotten
 * in slices and a little later. Implements docs/contract.md, sections 8 and 9.
 */
export function rateLimited(
  { max, windowMs }: Limit,
  { retryMs }: Extract<Verdict, { passes: false }>,
  clock: Clock,
): PublicError {
  const now = clock.now().getTime();
  const waitMs = Math.min(retryMs, windowMs);
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new PublicError('rate_limited', {
    headers: {
      'retry-after': String(seconds),
      'ratelimit-limit': String(max),
      'ratelimit-remaining': '0',
      'ratelimit-reset': String(Math.ceil((now + waitMs) / 1000)),
    },
  });
}
