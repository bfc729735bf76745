import { addressKey } from '@supplier/lib/rpc/client-address';
import type { Clock } from '@supplier/lib/text/time';
import type { Principal } from '@supplier/proto/common/v1/principal';
import type { Environment } from '@supplier/proto/common/v1/status';
import { PublicError } from '../errors/public-error.ts';
import type { Listener } from '../metrics.ts';

const MINUTE_MS = 60_000;
const FIVE_MINUTES_MS = 300_000;

/** A limit: at most `max` requests under `key` in any `windowMs`. */
export interface Limit {
  /** What is counted, and for which sender. */
  readonly key: string;
  /** At least 1. */
  readonly max: number;
  /** A multiple of the number of slices; see sliding-window.ts. */
  readonly windowMs: number;
  /**
   * The step at which this limit is checked, for requests that can wait for each other, such as creates. Checks of one
   * step go to the store together, once per beat; a request that passes several steps waits once for each.
   */
  readonly step?: 'address' | 'credential' | undefined;
}

/** Whether a request passes, and if not, after how many milliseconds (at least 1) the next one can. */
export type Verdict = { readonly passes: true } | { readonly passes: false; readonly retryMs: number };

export const PASSES: Verdict = { passes: true };

/**
 * Counts a request under a limit and returns whether it passes, synchronously if no store has to be queried. A refused
 * request is not counted. Never rejects.
 */
export type CheckLimit = (limit: Limit) => Verdict | Promise<Verdict>;

/** Limits that apply when an account sets none; counted separately for each environment. */
export interface DefaultLimits {
  readonly environment: Environment;
  readonly writesPerMinute: number;
  readonly readsPerMinute: number;
  readonly addressPerMinute: number;
  /** In five minutes. */
  readonly failedAuthentications: number;
}

/** An account's own limits per credential and minute, which replace the defaults. */
export interface AccountLimits {
  readonly writesPerMinute?: number | undefined;
  readonly readsPerMinute?: number | undefined;
}

/** Key prefix for each public listener, so that neither uses up the other's limit. */
const LISTENER_KEYS: Readonly<Record<Listener, string>> = { api: 'address', pages: 'page' };

/** The sender of a request, and its method if known. */
export interface Sender {
  readonly ip: string;
  readonly method?: string;
}

/** Returns the limit for everything from an address to a listener. */
export function listenerLimit(usual: DefaultLimits, listener: Listener, { ip, method }: Sender): Limit {
  return {
    key: `${usual.environment}:${LISTENER_KEYS[listener]}:${addressKey(ip)}`,
    max: usual.addressPerMinute,
    windowMs: MINUTE_MS,
    step: method === 'POST' ? 'address' : undefined,
  };
}

/** Returns the limit for requests from an address without a valid credential. */
export function failureLimit(usual: DefaultLimits, address: string): Limit {
  return {
    key: `${usual.environment}:failure:${addressKey(address)}`,
    max: usual.failedAuthentications,
    windowMs: FIVE_MINUTES_MS,
  };
}

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

/**
 * Returns the 429 with the contract's four headers: whole seconds until the next request can pass, the allowance, what
 * is left of it, and the reset time as a Unix timestamp. The wait never exceeds one window, although counts expire in
 * slices and slightly later. Implements docs/contract.md, sections 8 and 9.
 */
export function rateLimited(
  { max, windowMs }: Limit,
  { retryMs }: Extract<Verdict, { passes: false }>,
  clock: Clock,
): PublicError {
  const now = clock.now().getTime();
  const waitMs = Math.min(retryMs, windowMs);
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new PublicError('rate_limited', {
    headers: {
      'retry-after': String(seconds),
      'ratelimit-limit': String(max),
      'ratelimit-remaining': '0',
      'ratelimit-reset': String(Math.ceil((now + waitMs) / 1000)),
    },
  });
}
