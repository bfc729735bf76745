import type { Area } from '../object-store/object-store.ts';
import type { Database } from './database.ts';

/**
 * Longer than any clocks are apart. A scan's result is taken only within its lease, so that nothing which a document
 * refers to is ever removed.
 */
const GRACE_MS = 5 * 60_000;

/** A copy that a scan is about to make, and that goes again unless its result is recorded. */
export interface ScanCopy {
  readonly area: Extract<Area, 'held' | 'clean'>;
  /** Used by no other copy. */
  readonly key: string;
}

/** Schedules the removal of a copy before it is made: a scanner that dies in between leaves nothing behind. */
export async function announceScanCopy(db: Database, copy: ScanCopy, leaseUntil: Date): Promise<void> {
  const dueAt = new Date(leaseUntil.getTime() + GRACE_MS);
  await db.objectRemoval.create({ data: { area: copy.area, objectKey: copy.key, dueAt } });
}

/** Has a copy that nobody needs removed now. */
export async function giveUpScanCopy(db: Database, { area, key }: ScanCopy, now: Date): Promise<void> {
  await db.objectRemoval.updateMany({ where: { area, objectKey: key }, data: { dueAt: now } });
}
