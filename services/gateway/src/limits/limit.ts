import { addressKey } from '@supplier/lib/rpc/client-address';
import type { Principal } from '@supplier/proto/common/v1/principal';
import type { Environment } from '@supplier/proto/common/v1/status';
import type { Listener } from '../metrics.ts';

const MINUTE_MS = 60_000;
const FIVE_MINUTES_MS = 300_000;

/** One allowance: at most `max` requests under `key` in any `windowMs`. */
export interface Limit {
  /** What is counted, and for whom. */
  readonly key: string;
  /** At least 1. */
  readonly max: number;
  /** A multiple of the number of slices; see sliding-window.ts. */
  readonly windowMs: number;
  /**
   * Where requests can wait for others (creates do so anyway), the step of theirs at which this is checked: checks of one
   * step go to the store together, in beats, and a request that passes several steps waits once for each.
   */
  readonly step?: 'address' | 'credential' | undefined;
}

/** Whether a request may pass, and if not, after how many milliseconds (at least 1) the next one may. */
export type Verdict = { readonly passes: true } | { readonly passes: false; readonly retryMs: number };

export const PASSES: Verdict = { passes: true };

/**
 * Counts a request under a limit and says whether it passes, at once where no store has to be queried. A refused
 * request is not counted. Never rejects.
 */
export type CheckLimit = (limit: Limit) => Verdict | Promise<Verdict>;

/** How much passes, where an account has no limits of its own; counted apart for each environment. */
export interface DefaultLimits {
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

/** What a key counts on each public listener: neither uses up the other's. */
const LISTENER_KEYS: Readonly<Record<Listener, string>> = { api: 'address', pages: 'page' };

/** Where a request comes from; its method, where it is known. */
export interface Sender {
  readonly ip: string;
  readonly method?: string;
}

/** Everything that comes from an address to a listener. */
export function listenerLimit(usual: DefaultLimits, listener: Listener, { ip, method }: Sender): Limit {
  return {
    key: `${usual.environment}:${LISTENER_KEYS[listener]}:${addressKey(ip)}`,
    max: usual.addressPerMinute,
    windowMs: MINUTE_MS,
    step: method === 'POST' ? 'address' : undefined,
  };
}

/** What an address sends without a valid credential. */
export function failureLimit(usual: DefaultLimits, address: string): Limit {
  return {
    key: `${usual.environment}:failure:${addressKey(address)}`,
    max: usual.failedAuthentications,
    windowMs: FIVE_MINUTES_MS,
  };
}

/** What a credential writes, or what it reads. */
export function credentialLimit(
  usual: DefaultLimits,
  account: AccountLimits,
  { credentialId }: Pick<Principal, 'credentialId'>,
  kind: 'write' | 'read',
): Limit {
  const max =
    kind === 'write'
      ? (account.writesPerMinute ?? usual.writesPerMinute)
      : (account.readsPerMinute ?? usual.readsPerMinute);
  const step = kind === 'write' ? 'credential' : undefined;
  return { key: `${usual.environment}:${kind}:${credentialId}`, max, windowMs: MINUTE_MS, step };
}
