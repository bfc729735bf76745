import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { toDate } from '@supplier/lib/time';
import { invalid } from './refusals.ts';

/** The last second that a protobuf Timestamp may name: the end of the year 9999. */
const LAST_SECOND = 253_402_300_799n;

/** When a credential is to end; null when it does not. Throws VALIDATION_ERROR for a time outside years 1970 to 9999. */
export function requestedExpiry(expiresAt: Timestamp | undefined): Date | null {
  if (!expiresAt) return null;
  const { seconds, nanos } = expiresAt;
  if (seconds < 0n || seconds > LAST_SECOND || nanos < 0 || nanos > 999_999_999) {
    throw invalid([{ path: 'expires_at', message: 'must be a time before the year 10000' }]);
  }
  return toDate(expiresAt);
}
