import type { MessageInitShape } from '@bufbuild/protobuf';
import type { KeyRing } from '@supplier/lib/crypto';
import { toTimestamp } from '@supplier/lib/time';
import type { DocumentRecordSchema } from '@supplier/proto/document/v1/document';
import type { DocumentRow } from '../db/document-row.ts';
import { categoryOf } from '../domain/category.ts';
import { environmentOf } from '../domain/environment.ts';
import { scanReasonOf, scanStatusOf } from '../domain/scan-result.ts';
import { filenamePlace } from '../domain/sealed-places.ts';

/** A document as staff see it, with the name of its file: reading it is to be audited. */
export function documentRecord(
  ring: KeyRing,
  document: DocumentRow,
): MessageInitShape<typeof DocumentRecordSchema> {
  const { finalizedAt, scannedAt, deletedAt } = document;
  return {
    documentId: document.documentId,
    accountId: document.accountId,
    environment: environmentOf(document.environment),
    externalReference: document.externalReference,
    submissionId: document.submissionId ?? '',
    category: categoryOf(document.category),
    filename: filenameOf(ring, document),
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
  };
}

/** The name of a document's file; empty once the document is deleted. */
export function filenameOf(ring: KeyRing, { documentId, sealedFilename }: DocumentRow): string {
  if (sealedFilename.length === 0) return '';
  return Buffer.from(ring.open(sealedFilename, filenamePlace(documentId))).toString('utf8');
}
