import type { FastifyRequest } from 'fastify';
import type { GatewayContext } from '../context.ts';
import { PublicError } from '../errors/public-error.ts';
import { failureLimit } from '../limits/request-limits.ts';
import { rateLimited } from './rate-limit-answer.ts';

/**
 * What a request whose authentication failed is answered: 401 as long as its address has failures left, then 429. Only
 * failures are counted and only they are refused: a valid credential passes from the same address. What failed for
 * another reason than the credential is passed on as it is. Implements docs/contract.md, sections 4 and 9.
 */
export async function limitedFailure(
  request: Pick<FastifyRequest, 'ip'>,
  failure: unknown,
  { config, checkLimit, clock }: Pick<GatewayContext, 'config' | 'checkLimit' | 'clock'>,
): Promise<unknown> {
  if (!(failure instanceof PublicError) || failure.code !== 'unauthorized') return failure;
  const limit = failureLimit(config.limits, request.ip);
  const verdict = await checkLimit(limit);
  return verdict.passes ? failure : rateLimited(limit, verdict, clock);
}
