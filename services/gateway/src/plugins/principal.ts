import type { Principal, Scope } from '@supplier/proto/common/v1/principal';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { PublicError } from '../errors/public-error.ts';
import type { AccountLimits } from '../limits/limit.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until the request is authenticated. */
    principal: Principal | null;
    /** Null until the request is authenticated. */
    accountLimits: AccountLimits | null;
    /** False until the request is authenticated. */
    accountSuspended: boolean;
    /** Duration of authentication in milliseconds. */
    lookupMs: number;
  }
}

export function principalOf(request: FastifyRequest): Principal {
  if (!request.principal) throw new Error('invariant violated: no principal on an authenticated request');
  return request.principal;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The principal needs any one of these scopes. */
    anyScope?: readonly Scope[];
  }
}

const SUSPENDED = 'The account is suspended, so its credentials have no permissions. Contact us.';

/** Rejects requests that the principal's scopes do not allow. An operation without scopes rejects everyone. */
export function requireScope(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { scopes } = principalOf(request);
    const { anyScope = [] } = request.routeOptions.config;
    if (anyScope.some((scope) => scopes.includes(scope))) done();
    else done(new PublicError('forbidden', request.accountSuspended ? { message: SUSPENDED } : {}));
  });
}
