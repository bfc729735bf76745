// SQL, because leases end by the database's clock.
import type { SqlSession } from '@supplier/lib/data/postgres';
import { appendEvent, newEvent } from '@supplier/lib/events/outbox';
import { toTimestamp } from '@supplier/lib/text/time';
import { DocumentScannedSchema } from '@supplier/proto/document/v1/events';
import { environmentOf, scanReasonOf, scanStatusOf } from '../model/enum-mapping.ts';
import type { ScanResult } from '../model/scan-result.ts';
import type { Area } from '../object-store/object-store.ts';
import { type Database, inTransaction, type Transaction } from '../store/database.ts';
import {
  cancelRemoval,
  type RemovalOfDocument,
  scheduleCopyRemoval,
  scheduleRemovals,
} from '../store/object-removal.sql.ts';
import type { ClaimedScan } from './scan-queue.sql.ts';

/** A copy begun within the lease is complete after this time. */
const COPY_GRACE_MS = 5 * 60_000;

/** A copy that a scan is about to make; it is removed again unless the result is recorded. */
export interface ScanCopy {
  readonly area: Extract<Area, 'held' | 'clean'>;
  /** Unique to this copy. */
  readonly key: string;
}

/** The result of a claimed scan, and the copy of the bytes if they had to move. */
export interface ScanRecord {
  readonly scan: ClaimedScan;
  readonly result: ScanResult;
  readonly moved: (ScanCopy & { readonly etag: string }) | undefined;
  readonly at: Date;
}

/**
 * Records a result in one transaction: the document's status and location, the domain event, and the removal of bytes
 * that moved. Resolves to false and changes nothing when the caller no longer holds the claim: its lease has ended,
 * another scanner has claimed the scan, a rescan was requested, or the document is deleted. Also resolves to false when
 * the copy was removed meanwhile, because the source bytes are then the only ones left.
 */
export function recordScan(db: Database, record: ScanRecord): Promise<boolean> {
  const { scan, moved, at } = record;
  return inTransaction(db, async (tx) => {
    if (!(await lockClaimed(tx, scan))) return false;
    if (moved && !(await cancelRemoval(tx, removalOf(scan, moved)))) return false;
    const version = await saveResult(tx, record);
    if (moved) {
      const { documentId, object } = scan;
      await scheduleRemovals(tx, [{ documentId, area: object.area, objectKey: object.key, dueAt: at }]);
    }
    await appendEvent(tx, scannedEvent(record, version));
    return true;
  });
}

/** Locks the document if the caller still holds the claim, by the database's clock. */
async function lockClaimed(tx: Transaction, { documentId, attempt }: ClaimedScan): Promise<boolean> {
  const { rowCount } = await tx.query(
    `SELECT FROM document
      WHERE id = $1 AND state = 'finalized' AND scan_attempt = $2 AND scan_lease_until > clock_timestamp()
        FOR UPDATE`,
    [documentId, attempt],
  );
  return rowCount === 1;
}

async function saveResult(tx: Transaction, { scan, result, moved, at }: ScanRecord): Promise<bigint> {
  const { version } = await tx.document.update({
    where: { id: scan.documentId },
    data: {
      scanStatus: result.status,
      scanReason: reasonOf(result) ?? null,
      scanRule: faultOf(result)?.rule ?? null,
      scanPart: faultOf(result)?.part ?? null,
      signature: result.status === 'infected' ? result.signature : null,
      scanLeaseUntil: null,
      scanTries: 0,
      scannedAt: at,
      version: { increment: 1 },
      ...(moved ? { area: moved.area, heldKey: moved.key, etag: moved.etag } : {}),
    },
    select: { version: true },
  });
  return version;
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

const faultOf = (result: ScanResult) => (result.status === 'scan_failed' ? result.fault : undefined);

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
 * Schedules the removal of a copy that a claimed scan is about to make; see scheduleCopyRemoval. Resolves to false when
 * the caller no longer holds the claim; the copy must not be made then.
 */
export function scheduleScanCopyRemoval(
  pool: SqlSession,
  scan: ClaimedScan,
  copy: ScanCopy,
  now: Date,
): Promise<boolean> {
  const fence = { state: 'finalized', scanAttempt: scan.attempt } as const;
  return scheduleCopyRemoval(pool, removalOf(scan, copy), fence, now);
}

/** The removal that is scheduled until a document refers to the copy. */
function removalOf({ documentId, leaseUntil }: ClaimedScan, { area, key }: ScanCopy): RemovalOfDocument {
  return { documentId, area, objectKey: key, dueAt: new Date(leaseUntil.getTime() + COPY_GRACE_MS) };
}

/** Makes the removal of an unneeded copy due now, even if it was already carried out before the copy was written. */
export async function removeCopyNow(
  db: Database,
  { documentId }: ClaimedScan,
  { area, key: objectKey }: ScanCopy,
  dueAt: Date,
): Promise<void> {
  await db.objectRemoval.upsert({
    where: { area_objectKey: { area, objectKey } },
    create: { area, objectKey, documentId, dueAt },
    update: { dueAt, removedAt: null },
  });
}
