import type { Timestamp } from '@bufbuild/protobuf/wkt';
import type { AccountId } from '@supplier/lib/text/ids';
import { toDate } from '@supplier/lib/text/time';
import type { IssueCredentialRequest } from '@supplier/proto/account/v1/account';
import type { Credential } from './model/account.ts';
import { ENVIRONMENTS, nameOf, SCOPES } from './model/enum-mapping.ts';
import { repeatViolations } from './model/violations.ts';
import { idFrom, invalid } from './refusals.ts';

/** The maximum of a protobuf Timestamp, in seconds: the end of the year 9999. */
const MAX_SECONDS = 253_402_300_799n;

/**
 * The credential that a request asks for. Throws VALIDATION_ERROR for a malformed id, a repeated scope, and an expiry
 * outside the years 1970 to 9999.
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
