import type { FastifyInstance } from 'fastify';
import type { GatewayContext } from '../context.ts';
import { addressLimit } from '../limits/request-limits.ts';
import { passUnder } from './rate-limit-answer.ts';

/**
 * Bounds what comes from one address, before anything else of a request is looked at. The address is the connection's,
 * or the one that a trusted proxy forwards. Implements docs/contract.md, section 9.
 */
export function limitAddresses(
  app: FastifyInstance,
  context: Pick<GatewayContext, 'config' | 'checkLimit' | 'clock'>,
): void {
  const { limits } = context.config;
  app.addHook('onRequest', (request, _reply, done) => {
    passUnder(addressLimit(limits, request.ip), context, done);
  });
}
