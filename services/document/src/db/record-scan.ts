import { appendEvent, newEvent } from '@supplier/lib/outbox';
import { toTimestamp } from '@supplier/lib/time';
import { DocumentScannedSchema } from '@supplier/proto/document/v1/events';
import { environmentOf, scanReasonOf, scanStatusOf } from '../domain/enum-mapping.ts';
import type { ScanResult } from '../domain/scan-result.ts';
import type { Area } from '../object-store/object-store.ts';
import { type Database, inTransaction, type Transaction } from './database.ts';
import { scheduleCopyRemoval, scheduleRemovals } from './object-removal.ts';
import type { ClaimedScan } from './scan-queue.ts';

/**
 * Longer than any two clocks differ. A result is recorded only within the scan's lease, so that no object is removed
 * that a document refers to.
 */
const COPY_GRACE_MS = 5 * 60_000;

/** A copy that a scan is about to make; it is removed again unless the result is recorded. */
export interface ScanCopy {
  readonly area: Extract<Area, 'held' | 'clean'>;
  /** Unique to this copy. */
  readonly key: string;
}

/** The result of a claimed scan, and where the bytes were copied to if they had to move. */
export interface ScanRecord {
  readonly scan: ClaimedScan;
  readonly result: ScanResult;
  readonly moved: (ScanCopy & { readonly etag: string }) | undefined;
  readonly at: Date;
}

/**
 * Records a result in one transaction: the document's status and location, the domain event, and the removal of bytes
 * that moved. Resolves to false, and changes nothing, when the scan is no longer the caller's: its lease has ended,
 * another scanner has claimed it, a rescan was requested, or the document is deleted.
 */
export function recordScan(db: Database, record: ScanRecord): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const version = await saveResult(tx, record);
    if (version === undefined) return false;
    if (record.moved) await replaceObject(tx, record.scan, record.moved, record.at);
    await appendEvent(tx, scannedEvent(record, version));
    return true;
  });
}

async function saveResult(
  tx: Transaction,
  { scan, result, moved, at }: ScanRecord,
): Promise<bigint | undefined> {
  const [row] = await tx.document.updateManyAndReturn({
    where: {
      id: scan.documentId,
      state: 'finalized',
      scanAttempt: scan.attempt,
      scanLeaseUntil: { gt: at },
    },
    data: {
      scanStatus: result.status,
      scanReason: reasonOf(result) ?? null,
      signature: result.status === 'infected' ? result.signature : null,
      scanLeaseUntil: null,
      scanTries: 0,
      scannedAt: at,
      version: { increment: 1 },
      ...(moved ? { area: moved.area, heldKey: moved.key, etag: moved.etag } : {}),
    },
    select: { version: true },
  });
  return row?.version;
}

/** Cancels the removal of the copy, which the document refers to now, and schedules that of the former object. */
async function replaceObject(
  tx: Transaction,
  { documentId, object }: ClaimedScan,
  copy: ScanCopy,
  at: Date,
): Promise<void> {
  await tx.objectRemoval.deleteMany({ where: { area: copy.area, objectKey: copy.key } });
  await scheduleRemovals(tx, [{ documentId, area: object.area, objectKey: object.key, dueAt: at }]);
}

function reasonOf(result: ScanResult) {
  switch (result.status) {
    case 'clean':
      return undefined;
    case 'infected':
      return 'malware';
    case 'scan_failed':
      return result.reason;
  }
}

function scannedEvent({ scan, result, at }: ScanRecord, aggregateVersion: bigint) {
  const message = {
    accountId: scan.accountId,
    environment: environmentOf(scan.environment),
    documentId: scan.documentId,
    submissionId: scan.submissionId,
    scanStatus: scanStatusOf(result.status),
    scanReason: scanReasonOf(reasonOf(result)),
    scannedAt: toTimestamp(at),
  };
  return newEvent(DocumentScannedSchema, message, {
    aggregateId: scan.documentId,
    aggregateVersion,
    occurredAt: at,
  });
}

/**
 * Schedules the removal of a copy that a claimed scan is about to make; see scheduleCopyRemoval. Resolves to false, and
 * the copy must not be made, when the scan is no longer the caller's.
 */
export function announceCopy(
  db: Database,
  { documentId, attempt, leaseUntil }: ClaimedScan,
  copy: ScanCopy,
  now: Date,
): Promise<boolean> {
  const dueAt = new Date(leaseUntil.getTime() + COPY_GRACE_MS);
  const removal = { documentId, area: copy.area, objectKey: copy.key, dueAt };
  return scheduleCopyRemoval(db, removal, { state: 'finalized', scanAttempt: attempt }, now);
}

/** Makes the removal of an unneeded copy due now. */
export async function removeCopyNow(db: Database, { area, key }: ScanCopy, now: Date): Promise<void> {
  await db.objectRemoval.updateMany({
    where: { area, objectKey: key },
    data: { dueAt: now, removedAt: null },
  });
}
