import type { FastifyInstance } from 'fastify';
import type { GatewayContext } from '../context.ts';
import { addressLimit } from '../limits/request-limits.ts';
import { rateLimited } from './rate-limit-answer.ts';

/**
 * Bounds what comes from one address, before anything else of a request is looked at. The address is the connection's,
 * or the one that a trusted proxy forwards. Implements docs/contract.md, section 9.
 */
export function limitAddresses(
  app: FastifyInstance,
  { config, checkLimit, clock }: Pick<GatewayContext, 'config' | 'checkLimit' | 'clock'>,
): void {
  app.addHook('onRequest', async (request) => {
    const limit = addressLimit(config.limits, request.ip);
    const verdict = await checkLimit(limit);
    if (!verdict.passes) throw rateLimited(limit, verdict, clock);
  });
}
