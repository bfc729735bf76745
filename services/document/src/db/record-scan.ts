import { appendEvent, newEvent } from '@supplier/lib/outbox';
import { toTimestamp } from '@supplier/lib/time';
import { DocumentScannedSchema } from '@supplier/proto/document/v1/events';
import type { ScanResult } from '../domain/content-result.ts';
import { environmentOf } from '../domain/environment.ts';
import { scanReasonOf, scanStatusOf } from '../domain/scan-result.ts';
import type { ScanCopy } from './announce-scan-copy.ts';
import type { ClaimedScan } from './claim-scans.ts';
import { type Database, inTransaction, type Transaction } from './database.ts';
import { scheduleRemovals } from './object-removal.ts';

/** The result of a claimed scan, and where the bytes were copied to if they had to move. */
export interface ScanRecord {
  readonly scan: ClaimedScan;
  readonly result: ScanResult;
  readonly moved: (ScanCopy & { readonly etag: string }) | undefined;
  readonly at: Date;
}

/**
 * Records a result, in one transaction: status and place of the document, the event of it, and the removal of bytes that
 * moved. Resolves to false, and changes nothing, when the scan is no longer the caller's: claimed by another since,
 * asked for anew, out of its lease, or of a document that is deleted.
 */
export function recordScan(db: Database, record: ScanRecord): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const version = await saveResult(tx, record);
    if (version === undefined) return false;
    if (record.moved) await letGo(tx, record.scan, record.moved, record.at);
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
      scannedAt: at,
      version: { increment: 1 },
      ...(moved ? { area: moved.area, heldKey: moved.key, etag: moved.etag } : {}),
    },
    select: { version: true },
  });
  return row?.version;
}

/** What the document refers to now is kept; what it referred to before is not. */
async function letGo(tx: Transaction, { object }: ClaimedScan, kept: ScanCopy, at: Date): Promise<void> {
  await tx.objectRemoval.deleteMany({ where: { area: kept.area, objectKey: kept.key } });
  await scheduleRemovals(tx, [{ area: object.area, objectKey: object.key, dueAt: at }]);
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
  const told = {
    accountId: scan.accountId,
    environment: environmentOf(scan.environment),
    documentId: scan.documentId,
    submissionId: scan.submissionId,
    scanStatus: scanStatusOf(result.status),
    scanReason: scanReasonOf(reasonOf(result)),
    scannedAt: toTimestamp(at),
  };
  return newEvent(DocumentScannedSchema, told, {
    aggregateId: scan.documentId,
    aggregateVersion,
    occurredAt: at,
  });
}
