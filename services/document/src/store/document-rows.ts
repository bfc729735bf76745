import type { MessageInitShape } from '@bufbuild/protobuf';
import type { AssociatedData, KeyRing } from '@supplier/lib/data/crypto';
import { rotatedTable, type ValuesOf } from '@supplier/lib/data/key-rotation';
import type { AccountId, DocumentId, SubmissionId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import type { DocumentRecordSchema, DocumentSchema } from '@supplier/proto/document/v1/document';
import {
  type CategoryName,
  categoryOf,
  type EnvironmentName,
  environmentOf,
  type ScanReasonName,
  type ScanStatusName,
  scanReasonOf,
  scanStatusOf,
} from '../model/enum-mapping.ts';
import type { Database, Transaction } from './database.ts';
import type { DocumentModel } from './generated/models/Document.ts';

/** A document as stored in the database. */
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
  /** The key of the supplier's upload. */
  readonly objectKey: string;
  readonly uploadExpiresAt: Date;
  /** Location of the finalized bytes. */
  readonly held: { readonly area: 'held' | 'clean'; readonly key: string; readonly etag: string } | undefined;
  readonly scanStatus: ScanStatusName | undefined;
  readonly scanReason: ScanReasonName | undefined;
  readonly signature: string | undefined;
  readonly scanAttempts: number;
  /** When the document was parked, so that no scanner tries it. */
  readonly scanParkedAt: Date | undefined;
  readonly createdAt: Date;
  readonly finalizedAt: Date | undefined;
  readonly scannedAt: Date | undefined;
  readonly deletedAt: Date | undefined;
  /** Number of domain events of the document. */
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
    scanParkedAt: row.scanParkedAt ?? undefined,
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

/** Returns a document of the tenant; undefined for an unknown one and for another tenant's. */
export async function findDocumentOf(
  db: Database | Transaction,
  tenant: { readonly accountId: AccountId; readonly environment: EnvironmentName },
  documentId: DocumentId,
): Promise<DocumentRow | undefined> {
  const { accountId, environment } = tenant;
  const row = await db.document.findFirst({ where: { id: documentId, accountId, environment } });
  return row ? documentFromRow(row) : undefined;
}

/** Returns a document of any supplier, for staff. */
export async function findDocument(
  db: Database | Transaction,
  documentId: DocumentId,
): Promise<DocumentRow | undefined> {
  const row = await db.document.findUnique({ where: { id: documentId } });
  return row ? documentFromRow(row) : undefined;
}

/** Returns the first `limit` documents of a submission, including deleted ones, oldest first. */
export async function findDocumentsOf(
  db: Database | Transaction,
  submissionId: SubmissionId,
  limit: number,
): Promise<DocumentRow[]> {
  const orderBy = [{ createdAt: 'asc' as const }, { id: 'asc' as const }];
  const rows = await db.document.findMany({ where: { submissionId }, orderBy, take: limit });
  return rows.map(documentFromRow);
}

/** Returns a document for staff, including its filename: reading it must be audited with a purpose. */
export function documentRecord(
  keyRing: KeyRing,
  document: DocumentRow,
): MessageInitShape<typeof DocumentRecordSchema> {
  return { ...unnamedRecord(document), filename: filenameOf(keyRing, document) };
}

/** Returns a document for staff without its filename, which can identify a person, for requests without a purpose. */
export function unnamedRecord(document: DocumentRow): MessageInitShape<typeof DocumentRecordSchema> {
  const { finalizedAt, scannedAt, deletedAt, scanParkedAt } = document;
  return {
    documentId: document.documentId,
    accountId: document.accountId,
    environment: environmentOf(document.environment),
    externalReference: document.externalReference,
    submissionId: document.submissionId ?? '',
    category: categoryOf(document.category),
    contentType: document.contentType,
    byteSize: document.byteSize,
    scanStatus: scanStatusOf(document.scanStatus),
    scanReason: scanReasonOf(document.scanReason),
    signature: document.signature ?? '',
    scanAttempts: document.scanAttempts,
    createdAt: toTimestamp(document.createdAt),
    ...(finalizedAt ? { finalizedAt: toTimestamp(finalizedAt) } : {}),
    ...(scannedAt ? { scannedAt: toTimestamp(scannedAt) } : {}),
    ...(deletedAt ? { deletedAt: toTimestamp(deletedAt) } : {}),
    ...(scanParkedAt ? { scanParkedAt: toTimestamp(scanParkedAt) } : {}),
  };
}

/** Returns the filename of a document; empty once the document is deleted. */
function filenameOf(keyRing: KeyRing, { documentId, sealedFilename }: DocumentRow): string {
  if (sealedFilename.length === 0) return '';
  return Buffer.from(keyRing.open(sealedFilename, filenameAad(documentId))).toString('utf8');
}

/** Returns a document for its supplier. */
export function documentMessage(document: DocumentRow): MessageInitShape<typeof DocumentSchema> {
  return {
    documentId: document.documentId,
    category: categoryOf(document.category),
    scanStatus: scanStatusOf(document.scanStatus),
  };
}

/** Returns the associated data of a document's sealed filename. */
export function filenameAad(documentId: DocumentId): AssociatedData {
  return { table: 'document', column: 'filename', row: documentId };
}

/** Every table of this service with sealed values. Add new sealed columns here. */
export const rotatedTables: ValuesOf = ({ pool, ring }) => [
  rotatedTable<{ id: DocumentId }>(pool, ring, {
    table: 'document',
    key: { id: 'uuid' },
    sealed: { filename: ({ id }) => filenameAad(id) },
  }),
];
