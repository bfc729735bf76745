import type { Principal } from '@supplier/proto/common/v1/principal';
import type { Environment } from '@supplier/proto/common/v1/status';
import { addressKey } from './address-key.ts';
import type { Limit } from './limit.ts';

const MINUTE_MS = 60_000;
const FIVE_MINUTES_MS = 300_000;

/** How much passes, where an account has no limits of its own; counted apart for each environment. */
export interface UsualLimits {
  readonly environment: Environment;
  readonly writesPerMinute: number;
  readonly readsPerMinute: number;
  readonly addressPerMinute: number;
  /** In five minutes. */
  readonly failedAuthentications: number;
}

/** What an account may do in a minute with each credential, where it differs from the usual. */
export interface AccountLimits {
  readonly writesPerMinute?: number | undefined;
  readonly readsPerMinute?: number | undefined;
}

/** Everything that comes from an address. */
export function addressLimit(usual: UsualLimits, address: string): Limit {
  return {
    key: `${usual.environment}:address:${addressKey(address)}`,
    most: usual.addressPerMinute,
    windowMs: MINUTE_MS,
  };
}

/** What an address sends without a valid credential. */
export function failureLimit(usual: UsualLimits, address: string): Limit {
  return {
    key: `${usual.environment}:failure:${addressKey(address)}`,
    most: usual.failedAuthentications,
    windowMs: FIVE_MINUTES_MS,
  };
}

/** What a credential writes, or what it reads. */
export function credentialLimit(
  usual: UsualLimits,
  account: AccountLimits,
  { credentialId }: Pick<Principal, 'credentialId'>,
  kind: 'write' | 'read',
): Limit {
  const most =
    kind === 'write'
      ? (account.writesPerMinute ?? usual.writesPerMinute)
      : (account.readsPerMinute ?? usual.readsPerMinute);
  return { key: `${usual.environment}:${kind}:${credentialId}`, most, windowMs: MINUTE_MS };
}
