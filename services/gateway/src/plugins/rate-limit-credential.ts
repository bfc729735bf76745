import type { FastifyInstance } from 'fastify';
import type { GatewayContext } from '../context.ts';
import { credentialLimit } from '../limits/request-limits.ts';
import { principalOf } from './authentication.ts';
import { rateLimited } from './rate-limit-answer.ts';

/**
 * Bounds what one credential reads and, apart from that, what it writes, permitted or not. Implements docs/contract.md,
 * section 9.
 */
export function limitCredentials(
  app: FastifyInstance,
  { config, checkLimit, clock }: Pick<GatewayContext, 'config' | 'checkLimit' | 'clock'>,
): void {
  app.addHook('onRequest', async (request) => {
    const kind = request.method === 'GET' ? 'read' : 'write';
    const limit = credentialLimit(config.limits, request.accountLimits ?? {}, principalOf(request), kind);
    const verdict = await checkLimit(limit);
    if (!verdict.passes) throw rateLimited(limit, verdict, clock);
  });
}
