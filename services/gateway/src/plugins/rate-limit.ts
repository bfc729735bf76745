import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import type { PublicError } from '../errors/public-error.ts';
import {
  credentialLimit,
  failureLimit,
  type Limit,
  rateLimited,
  type Sender,
  type Verdict,
} from '../limits/limit.ts';
import { principalOf } from './principal.ts';

type Limiting = Pick<Context, 'config' | 'checkLimit' | 'clock' | 'metrics'>;

/**
 * Limits the requests of one address, before any other check. The address is the connection's, or the one forwarded by
 * a trusted proxy. Implements docs/contract.md, section 9.
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
 * Limits the reads and, separately, the writes of a credential, permitted or not. Implements docs/contract.md, section
 * 9.
 */
export function limitCredentials(app: FastifyInstance, context: Limiting): void {
  const { config } = context;
  app.addHook('onRequest', (request, _reply, done) => {
    const kind = request.method === 'GET' ? 'read' : 'write';
    const limit = credentialLimit(config, request.accountLimits ?? {}, principalOf(request), kind);
    passUnder(kind, limit, context, done);
  });
}

/**
 * Counts a failed authentication. Resolves to the 429 once its address has used up its allowance, otherwise to
 * undefined. Only failures are counted and refused: a valid credential passes from the same address. Implements
 * docs/contract.md, sections 4 and 9.
 */
export async function exceededFailures(
  { ip }: Pick<FastifyRequest, 'ip'>,
  { config, checkLimit, clock, metrics }: Limiting,
): Promise<PublicError | undefined> {
  const limit = failureLimit(config, ip);
  const verdict = await checkLimit(limit);
  if (verdict.passes) return undefined;
  metrics.limitedRequests.inc({ limit: 'failure' });
  return rateLimited(limit, verdict, clock);
}

/** Continues a request that passes a limit, synchronously if no store has to be queried; rejects any other. */
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
