import type { FastifyInstance } from 'fastify';
import type { GatewayContext } from '../context.ts';
import { credentialLimit } from '../limits/request-limits.ts';
import { principalOf } from './authentication.ts';
import { passUnder } from './rate-limit-answer.ts';

/**
 * Bounds what one credential reads and, apart from that, what it writes, permitted or not. Implements docs/contract.md,
 * section 9.
 */
export function limitCredentials(
  app: FastifyInstance,
  context: Pick<GatewayContext, 'config' | 'checkLimit' | 'clock'>,
): void {
  const { limits } = context.config;
  app.addHook('onRequest', (request, _reply, done) => {
    const kind = request.method === 'GET' ? 'read' : 'write';
    passUnder(
      credentialLimit(limits, request.accountLimits ?? {}, principalOf(request), kind),
      context,
      done,
    );
  });
}
