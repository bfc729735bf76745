import { Code, ConnectError, createContextKey, type HandlerContext } from '@connectrpc/connect';
import type { Scope, Terms } from '@supplier/proto/common/v1/principal';
import type { Environment } from '@supplier/proto/common/v1/status';
import type { AccountId, CredentialId } from '../../text/ids/index.ts';

/** The caller, a process or a member of staff, identified by a verified token. */
export interface Caller {
  readonly subject: string;
  readonly issuer: string;
  readonly roles: readonly string[];
  /** When the token expires, in milliseconds since 1970; a stream of live data must not outlast it. */
  readonly tokenEndsAt: number;
}

/** The supplier on whose behalf the gateway calls. */
export interface SupplierPrincipal {
  readonly accountId: AccountId;
  readonly credentialId: CredentialId;
  readonly environment: Environment.SANDBOX | Environment.PRODUCTION;
  readonly scopes: readonly Scope[];
  readonly terms: Terms;
}

export const callerKey = createContextKey<Caller | undefined>(undefined);
export const principalKey = createContextKey<SupplierPrincipal | undefined>(undefined);

/** Header with the principal, as base64url of its message. */
export const PRINCIPAL_HEADER = 'x-supplier-principal';

/** Returns the verified caller. Throws without one, which the server prevents. */
export function callerOf(context: Pick<HandlerContext, 'values'>): Caller {
  const caller = context.values.get(callerKey);
  if (!caller) throw new ConnectError('a caller is required', Code.Unauthenticated);
  return caller;
}

/** Returns the supplier principal; undefined when staff or another service calls on its own behalf. */
export function principalOf(context: Pick<HandlerContext, 'values'>): SupplierPrincipal | undefined {
  return context.values.get(principalKey);
}

/** Returns the supplier principal of an RPC that requires one. Throws PERMISSION_DENIED without it. */
export function requirePrincipal(context: Pick<HandlerContext, 'values'>): SupplierPrincipal {
  const principal = principalOf(context);
  if (!principal)
    throw new ConnectError('this call must be made on behalf of a supplier', Code.PermissionDenied);
  return principal;
}

/** Returns the principal if it has a scope that depends on the message. Throws PERMISSION_DENIED. */
export function requireScope(context: Pick<HandlerContext, 'values'>, scope: Scope): SupplierPrincipal {
  const principal = requirePrincipal(context);
  if (!principal.scopes.includes(scope)) {
    throw new ConnectError('the supplier lacks the scope for this call', Code.PermissionDenied);
  }
  return principal;
}
