import type { ContentType } from './content-types.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Limits on documents: sizes, types, quotas and times. Implements docs/contract.md, section 9. */
export interface DocumentLimits {
  readonly maxBytes: number;
  readonly contentTypes: readonly ContentType[];
  /** Maximum number of documents per reference, excluding deleted ones. */
  readonly perReference: number;
  /** Maximum number of bytes that one account may have reserved or stored in one environment. */
  readonly accountBytes: number;
  readonly uploadMinutes: number;
  readonly unfinalizedHours: number;
  readonly retentionDays: number;
  /** Retention of documents whose submission was never accepted. */
  readonly unacceptedDays: number;
  readonly refusedDays: number;
}

export function uploadExpiry({ uploadMinutes }: DocumentLimits, now: Date): Date {
  return new Date(now.getTime() + uploadMinutes * MINUTE_MS);
}

/** Returns the cut-off for uploads: a document reserved at or before it and not finalized at `now` has expired. */
export function abandonedSince({ unfinalizedHours }: DocumentLimits, now: Date): Date {
  return new Date(now.getTime() - unfinalizedHours * HOUR_MS);
}

/** Returns the retention cut-off: retention has ended for a document finalized at or before it. */
export function retainedSince({ retentionDays }: DocumentLimits, now: Date): Date {
  return new Date(now.getTime() - retentionDays * DAY_MS);
}

/**
 * Returns the retention cut-off for refused documents: infected or scan_failed ones scanned at or before it are not
 * kept.
 */
export function refusedRetainedSince({ refusedDays }: DocumentLimits, now: Date): Date {
  return new Date(now.getTime() - refusedDays * DAY_MS);
}

/**
 * Returns the retention cut-off for acceptance: a document finalized at or before it is kept only if its submission was
 * accepted.
 */
export function unacceptedRetainedSince({ unacceptedDays }: DocumentLimits, now: Date): Date {
  return new Date(now.getTime() - unacceptedDays * DAY_MS);
}
