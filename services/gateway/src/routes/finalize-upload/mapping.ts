import { create } from '@bufbuild/protobuf';
import {
  type Document,
  DocumentCategorySchema,
  type FinalizeUploadRequest,
  FinalizeUploadRequestSchema,
  ScanStatusSchema,
} from '@supplier/proto/document/v1/document';
import { enumWriter } from '../../enquiry/enum-names.ts';
import type { FinalizeUploadBody } from './schema.ts';

const nameOfCategory = enumWriter(DocumentCategorySchema, '_');
const nameOfScanStatus = enumWriter(ScanStatusSchema, '_');

/** The RPC that a validated body asks for. */
export function toFinalizeUploadRequest(body: FinalizeUploadBody): FinalizeUploadRequest {
  return create(FinalizeUploadRequestSchema, {
    externalReference: body.external_reference,
    documentId: body.document_id.toLowerCase(),
  });
}

/** The public JSON of a document. */
export function renderDocument({ documentId, category, scanStatus }: Document): string {
  return JSON.stringify({
    document_id: documentId,
    category: nameOfCategory(category),
    scan_status: nameOfScanStatus(scanStatus),
  });
}
