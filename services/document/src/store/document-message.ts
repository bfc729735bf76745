import type { MessageInitShape } from '@bufbuild/protobuf';
import type { KeyRing } from '@supplier/lib/data/crypto';
import { toTimestamp } from '@supplier/lib/text/time';
import type { DocumentRecordSchema, DocumentSchema } from '@supplier/proto/document/v1/document';
import { categoryOf, environmentOf, scanReasonOf, scanStatusOf } from '../model/enum-mapping.ts';
import { filenameAad } from './associated-data.ts';
import type { DocumentRow } from './document-rows.ts';

/** A document for staff, with its filename: reading it must be audited, with a purpose. */
export function documentRecord(
  keyRing: KeyRing,
  document: DocumentRow,
): MessageInitShape<typeof DocumentRecordSchema> {
  return { ...unnamedRecord(document), filename: filenameOf(keyRing, document) };
}

/** A document for staff without its filename, which can name a person: for what is asked for without a purpose. */
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

/** The filename of a document; empty once the document is deleted. */
export function filenameOf(keyRing: KeyRing, { documentId, sealedFilename }: DocumentRow): string {
  if (sealedFilename.length === 0) return '';
  return Buffer.from(keyRing.open(sealedFilename, filenameAad(documentId))).toString('utf8');
}

/** A document for its supplier. */
export function documentMessage(document: DocumentRow): MessageInitShape<typeof DocumentSchema> {
  return {
    documentId: document.documentId,
    category: categoryOf(document.category),
    scanStatus: scanStatusOf(document.scanStatus),
  };
}
