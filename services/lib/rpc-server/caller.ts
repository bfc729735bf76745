import { fromBinary } from '@bufbuild/protobuf';
import { Code, ConnectError, createContextKey, type HandlerContext } from '@connectrpc/connect';
import { PrincipalSchema, type Scope, type Terms } from '@supplier/proto/common/v1/principal';
import { Environment } from '@supplier/proto/common/v1/status';
import { type AccountId, type CredentialId, parseId } from '../ids/index.ts';

/** Who calls: a process or a member of staff, known by a verified token. */
export interface Caller {
  readonly subject: string;
  /** The issuer of the token. */
  readonly issuer: string;
  readonly roles: readonly string[];
  /** When the token ends, in milliseconds since 1970: a stream that shows what happens must not outlast it. */
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

/** Carries the principal, as base64url of its message. */
export const PRINCIPAL_HEADER = 'x-supplier-principal';

/** The verified caller. Throws without one, which the server prevents. */
export function callerOf(context: Pick<HandlerContext, 'values'>): Caller {
  const caller = context.values.get(callerKey);
  if (!caller) throw new ConnectError('a caller is required', Code.Unauthenticated);
  return caller;
}

/** The supplier principal; undefined when staff or another service calls for itself. */
export function principalOf(context: Pick<HandlerContext, 'values'>): SupplierPrincipal | undefined {
  return context.values.get(principalKey);
}

/** The supplier principal of an RPC that only makes sense on behalf of one. Throws PERMISSION_DENIED without it. */
export function requirePrincipal(context: Pick<HandlerContext, 'values'>): SupplierPrincipal {
  const principal = principalOf(context);
  if (!principal) throw new ConnectError('this call is made on behalf of a supplier', Code.PermissionDenied);
  return principal;
}

/**
 * The supplier principal, which must have `scope`. For an operation whose scope depends on its message; the others name
 * theirs in their contract. Throws PERMISSION_DENIED.
 */
export function requireScope(context: Pick<HandlerContext, 'values'>, scope: Scope): SupplierPrincipal {
  const principal = requirePrincipal(context);
  if (!principal.scopes.includes(scope)) {
    throw new ConnectError('the supplier has no scope for this call', Code.PermissionDenied);
  }
  return principal;
}

const MAX_KNOWN = 1_000;
/** Principals by their headers: a supplier's is the same from call to call. */
const known = new Map<string, SupplierPrincipal>();

/** Reads the header of a gateway's call. Throws INVALID_ARGUMENT when it is not a whole principal. */
export function readPrincipal(header: string): SupplierPrincipal {
  const found = known.get(header);
  if (found) return found;
  const principal = parsePrincipal(header);
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(header, principal);
  return principal;
}

function parsePrincipal(header: string): SupplierPrincipal {
  const message = decode(header);
  const accountId = parseId<AccountId>(message?.accountId ?? '');
  const credentialId = parseId<CredentialId>(message?.credentialId ?? '');
  const environment = message?.environment;
  const knownEnvironment = environment === Environment.SANDBOX || environment === Environment.PRODUCTION;
  if (!message?.terms || !accountId || !credentialId || !knownEnvironment) {
    throw new ConnectError('the principal is malformed', Code.InvalidArgument);
  }
  return { accountId, credentialId, environment, scopes: message.scopes, terms: message.terms };
}

function decode(header: string) {
  try {
    return fromBinary(PrincipalSchema, Buffer.from(header, 'base64url'));
  } catch {
    return undefined;
  }
}
