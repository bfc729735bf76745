import type { Principal } from '@supplier/proto/common/v1/principal';
import type { FastifyRequest } from 'fastify';
import type { AccountLimits } from '../limits/limit.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until the request is authenticated. */
    principal: Principal | null;
    /** Null until the request is authenticated. */
    accountLimits: AccountLimits | null;
    /** False until the request is authenticated. */
    accountSuspended: boolean;
    /** Milliseconds that authentication took. */
    lookupMs: number;
  }
}

/** The principal of an authenticated request. */
export function principalOf(request: FastifyRequest): Principal {
  if (!request.principal) throw new Error('invariant violated: no principal on an authenticated request');
  return request.principal;
}
