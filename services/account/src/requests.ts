import type { Timestamp } from '@bufbuild/protobuf/wkt';
import type { ConnectError } from '@connectrpc/connect';
import { RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import { type AccountId, parseId } from '@supplier/lib/text/ids';
import { toDate } from '@supplier/lib/text/time';
import type { IssueCredentialRequest, UpdateAccountRequest } from '@supplier/proto/account/v1/account';
import type { AccountSettings, Credential } from './model/account.ts';
import { ENVIRONMENTS, nameOf, SCOPES, STATES } from './model/messages.ts';
import { repeatViolations, termsViolations, type Violation } from './model/violations.ts';

/** Fields shared by CreateAccount and UpdateAccount. */
type SettingsMessage = Pick<UpdateAccountRequest, 'state' | 'permittedScopes' | 'terms' | 'limits'>;

/** Returns the requested settings. Throws VALIDATION_ERROR with all violations. */
export function requestedSettings(message: SettingsMessage): AccountSettings {
  const { state, permittedScopes, terms, limits } = message;
  if (!terms) throw invalid([{ path: 'terms', message: 'is required' }]);
  const violations = [...repeatViolations('permitted_scopes', permittedScopes), ...termsViolations(terms)];
  if (violations.length > 0) throw invalid(violations);
  return {
    state: nameOf(STATES, state),
    permittedScopes: permittedScopes.map((scope) => nameOf(SCOPES, scope)),
    terms,
    writesPerMinute: limits?.writesPerMinute ?? null,
    readsPerMinute: limits?.readsPerMinute ?? null,
  };
}

/** Maximum of a protobuf Timestamp, in seconds: the end of the year 9999. */
const MAX_SECONDS = 253_402_300_799n;

/**
 * Returns the requested credential. Throws VALIDATION_ERROR for a malformed id, a repeated scope, and an expiry outside
 * the years 1970 to 9999.
 */
export function requestedCredential({
  accountId,
  environment,
  scopes,
  expiresAt,
}: IssueCredentialRequest): Pick<Credential, 'accountId' | 'environment' | 'scopes' | 'expiresAt'> {
  const violations = repeatViolations('scopes', scopes);
  if (violations.length > 0) throw invalid(violations);
  return {
    accountId: idFrom<AccountId>('account_id', accountId),
    environment: nameOf(ENVIRONMENTS, environment),
    scopes: scopes.map((scope) => nameOf(SCOPES, scope)),
    expiresAt: requestedExpiry(expiresAt),
  };
}

function requestedExpiry(expiresAt: Timestamp | undefined): Date | null {
  if (!expiresAt) return null;
  const { seconds, nanos } = expiresAt;
  if (seconds < 0n || seconds > MAX_SECONDS || nanos < 0 || nanos > 999_999_999) {
    throw invalid([{ path: 'expires_at', message: 'must be a time before the year 10000' }]);
  }
  return toDate(expiresAt);
}

export function invalid(violations: readonly Violation[]): ConnectError {
  return refuse(RefusalCode.VALIDATION_ERROR, 'The request is inconsistent.', {
    violations: violations.map(({ path, message }) => ({ path, message })),
  });
}

export function unknownAccount(): ConnectError {
  return refuse(RefusalCode.NOT_FOUND, 'There is no such account.');
}

/** Returns a NOT_FOUND for a credential, looked up by either of its ids. */
export function unknownCredential(): ConnectError {
  return refuse(RefusalCode.NOT_FOUND, 'There is no such credential.');
}

/** Returns a REVISION_CONFLICT: the account has changed since the caller read it. */
export function staleRevision(currentRevision: bigint): ConnectError {
  return refuse(RefusalCode.REVISION_CONFLICT, 'The account has changed since that revision.', {
    currentRevision,
  });
}

/** Returns the id in a request field. Throws VALIDATION_ERROR when it is malformed. */
export function idFrom<Id extends string>(path: string, text: string): Id {
  const id = parseId<Id>(text);
  if (!id) throw invalid([{ path, message: 'must be a UUID' }]);
  return id;
}
