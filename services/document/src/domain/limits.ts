import type { ContentType } from './content-types.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** What a document may be, how many there may be, and how long each thing lasts. Implements docs/contract.md, section 9. */
export interface DocumentLimits {
  readonly maxBytes: number;
  readonly contentTypes: readonly ContentType[];
  /** The most documents of one reference, deleted ones aside. */
  readonly perReference: number;
  /** The most bytes that one account may have announced or stored in one environment. */
  readonly accountBytes: number;
  readonly uploadMinutes: number;
  readonly unfinalizedHours: number;
  readonly retentionDays: number;
  readonly refusedDays: number;
}

/** Until when an upload URL given out at `now` admits its object. */
export function uploadExpiry({ uploadMinutes }: DocumentLimits, now: Date): Date {
  return new Date(now.getTime() + uploadMinutes * MINUTE_MS);
}

/** What was announced at this time or before and is not finalized at `now` is given up. */
export function abandonedSince({ unfinalizedHours }: DocumentLimits, now: Date): Date {
  return new Date(now.getTime() - unfinalizedHours * HOUR_MS);
}

/** What was finalized at this time or before is no longer kept at `now`. */
export function retainedSince({ retentionDays }: DocumentLimits, now: Date): Date {
  return new Date(now.getTime() - retentionDays * DAY_MS);
}

/** What a scan refused at this time or before is no longer kept at `now`. */
export function refusedRetainedSince({ refusedDays }: DocumentLimits, now: Date): Date {
  return new Date(now.getTime() - refusedDays * DAY_MS);
}
