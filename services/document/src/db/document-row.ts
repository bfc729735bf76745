import type { AccountId, DocumentId, SubmissionId } from '@supplier/lib/ids';
import type { CategoryName } from '../domain/category.ts';
import type { EnvironmentName } from '../domain/environment.ts';
import type { ScanReasonName, ScanStatusName } from '../domain/scan-result.ts';
import type { DocumentModel } from './generated/models/Document.ts';

/** A document as the database has it. */
export interface DocumentRow {
  readonly documentId: DocumentId;
  readonly accountId: AccountId;
  readonly environment: EnvironmentName;
  readonly externalReference: string;
  readonly submissionId: SubmissionId | undefined;
  readonly category: CategoryName;
  /** Empty once the document is deleted. */
  readonly sealedFilename: Uint8Array;
  readonly contentType: string;
  readonly byteSize: bigint;
  readonly state: 'awaiting_upload' | 'finalized' | 'deleted';
  /** Where the supplier's upload goes. */
  readonly objectKey: string;
  readonly uploadExpiresAt: Date;
  /** Where the bytes lie that were finalized. */
  readonly held: { readonly area: 'held' | 'clean'; readonly key: string; readonly etag: string } | undefined;
  readonly scanStatus: ScanStatusName | undefined;
  readonly scanReason: ScanReasonName | undefined;
  readonly signature: string | undefined;
  readonly scanAttempts: number;
  readonly createdAt: Date;
  readonly finalizedAt: Date | undefined;
  readonly scannedAt: Date | undefined;
  readonly deletedAt: Date | undefined;
  /** Domain events of the document so far. */
  readonly version: bigint;
}

export function documentFromRow(row: DocumentModel): DocumentRow {
  return {
    documentId: row.id as DocumentId,
    accountId: row.accountId as AccountId,
    environment: row.environment,
    externalReference: row.externalReference,
    submissionId: (row.submissionId as SubmissionId | null) ?? undefined,
    category: row.category,
    sealedFilename: row.filename,
    contentType: row.contentType,
    byteSize: row.byteSize,
    state: row.state,
    objectKey: row.objectKey,
    uploadExpiresAt: row.uploadExpiresAt,
    held: heldOf(row),
    scanStatus: row.scanStatus ?? undefined,
    scanReason: row.scanReason ?? undefined,
    signature: row.signature ?? undefined,
    scanAttempts: row.scanAttempt,
    createdAt: row.createdAt,
    finalizedAt: row.finalizedAt ?? undefined,
    scannedAt: row.scannedAt ?? undefined,
    deletedAt: row.deletedAt ?? undefined,
    version: row.version,
  };
}

function heldOf({ area, heldKey, etag }: DocumentModel): DocumentRow['held'] {
  if (heldKey === null || etag === null || area === null || area === 'incoming') return undefined;
  return { area, key: heldKey, etag };
}
