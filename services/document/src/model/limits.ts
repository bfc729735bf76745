import type { ContentType } from './content-types.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Limits on documents: sizes, types, quotas and times. Implements docs/contract.md, section 9. */
export interface DocumentLimits {
  readonly maxBytes: number;
  readonly contentTypes: readonly ContentType[];
  /** Maximum number of documents of one reference, without deleted ones. */
  readonly perReference: number;
  /** Maximum number of bytes that one account may have reserved or stored in one environment. */
  readonly accountBytes: number;
  readonly uploadMinutes: number;
  readonly unfinalizedHours: number;
  readonly retentionDays: number;
  /** Of documents whose submission was never accepted. */
  readonly unacceptedDays: number;
  readonly refusedDays: number;
}

/** When an upload URL that is issued at `now` expires. */
export function uploadExpiry({ uploadMinutes }: DocumentLimits, now: Date): Date {
  return new Date(now.getTime() + uploadMinutes * MINUTE_MS);
}

/** A document that was reserved at this time or before and is not finalized at `now` has expired. */
export function abandonedSince({ unfinalizedHours }: DocumentLimits, now: Date): Date {
  return new Date(now.getTime() - unfinalizedHours * HOUR_MS);
}

/** The retention of a document that was finalized at this time or before has ended at `now`. */
export function retainedSince({ retentionDays }: DocumentLimits, now: Date): Date {
  return new Date(now.getTime() - retentionDays * DAY_MS);
}

/** The retention of an infected or scan_failed document with a scan at this time or before has ended at `now`. */
export function refusedRetainedSince({ refusedDays }: DocumentLimits, now: Date): Date {
  return new Date(now.getTime() - refusedDays * DAY_MS);
}

/** A document that was finalized at this time or before is kept at `now` only if its submission was accepted. */
export function unacceptedRetainedSince({ unacceptedDays }: DocumentLimits, now: Date): Date {
  return new Date(now.getTime() - unacceptedDays * DAY_MS);
}
