import type { MessageInitShape } from '@bufbuild/protobuf';
import type { AssociatedData, KeyRing } from '@supplier/lib/data/crypto';
import { rotatedTable, type ValuesOf } from '@supplier/lib/data/key-rotation';
import type { AccountId, DocumentId, SubmissionId } from '@supplier/lib/text/ids';
import { optionalTimestamp, toTimestamp } from '@supplier/lib/text/time';
import type { DocumentRecordSchema, DocumentSchema } from '@supplier/proto/document/v1/document';
import {
  categoryOf,
  type EnvironmentName,
  environmentOf,
  scanReasonOf,
  scanStatusOf,
} from '../model/enum-mapping.ts';
import type { Database, Transaction } from './database.ts';
import type { DocumentModel } from './generated/models/Document.ts';

/** A document as stored in the database. Its sealed filename is empty once it is deleted. */
export type DocumentRow = ReturnType<typeof documentFromRow>;

export function documentFromRow(row: DocumentModel) {
  return {
    ...row,
    documentId: row.id as DocumentId,
    accountId: row.accountId as AccountId,
    submissionId: row.submissionId as SubmissionId | null,
    sealedFilename: row.filename,
    held: heldOf(row),
  };
}

/** Returns the location of the finalized bytes. */
function heldOf({ area, heldKey, etag }: DocumentModel) {
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
    scanAttempts: document.scanAttempt,
    createdAt: toTimestamp(document.createdAt),
    finalizedAt: optionalTimestamp(document.finalizedAt),
    scannedAt: optionalTimestamp(document.scannedAt),
    deletedAt: optionalTimestamp(document.deletedAt),
    scanParkedAt: optionalTimestamp(document.scanParkedAt),
  };
}

/** Returns the filename of a document; empty once the document is deleted. */
function filenameOf(keyRing: KeyRing, { documentId, sealedFilename }: DocumentRow): string {
  if (sealedFilename.length === 0) return '';
  return Buffer.from(keyRing.open(sealedFilename, filenameAad(documentId))).toString('utf8');
}

export function documentMessage(document: DocumentRow): MessageInitShape<typeof DocumentSchema> {
  return {
    documentId: document.documentId,
    category: categoryOf(document.category),
    scanStatus: scanStatusOf(document.scanStatus),
  };
}

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
