import type { Principal } from '@supplier/proto/common/v1/principal';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { authenticate } from '../authentication/authenticate.ts';
import { bearerOf } from '../authentication/bearer.ts';
import type { GatewayContext } from '../context.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until the request is authenticated. */
    principal: Principal | null;
    /** Milliseconds that authentication took. */
    lookupMs: number;
  }
}

/** Finds out on whose behalf each request is made, before its body is read. Implements docs/contract.md, section 4. */
export function authenticateRequests(
  app: FastifyInstance,
  { config, credentials, clock }: GatewayContext,
): void {
  const { credentialPrefix, environment } = config;
  const deps = { credentialPrefix, environment, credentials, clock };
  app.decorateRequest('principal', null);
  app.decorateRequest('lookupMs', 0);
  app.addHook('onRequest', async (request) => {
    const began = performance.now();
    request.principal = await authenticate(bearerOf(request.raw), deps);
    request.lookupMs = performance.now() - began;
  });
}

/** The principal of an authenticated request. */
export function principalOf(request: FastifyRequest): Principal {
  if (!request.principal) throw new Error('an operation runs for an authenticated principal');
  return request.principal;
}
