import { create } from '@bufbuild/protobuf';
import { Scope } from '@supplier/proto/common/v1/principal';
import {
  type Document,
  DocumentCategorySchema,
  type FinalizeUploadRequest,
  FinalizeUploadRequestSchema,
  ScanStatusSchema,
} from '@supplier/proto/document/v1/document';
import { enumWriter } from '../../enquiry/enum-names.ts';
import { compileValidator } from '../../validation/validator.ts';
import { type Operation, onBehalfOf, sendJson } from '../operation.ts';
import {
  type FinalizeUploadBody,
  finalizeUploadReference,
  finalizeUploadSchema,
} from './finalize-upload.reference.ts';

/**
 * Confirms that the bytes of a document have arrived and attaches it to its submission: returns 200 with its scan
 * status, however often it is called. Implements docs/contract.md, section 2.
 */
export const finalizeUpload: Operation = {
  method: 'POST',
  path: '/v1/supplier-submissions/documents/finalize',
  anyScope: [Scope.CREATE_BASIC, Scope.CREATE_APPLICATION],
  reference: finalizeUploadReference,
  prepare({ document }) {
    const validate = compileValidator(finalizeUploadSchema());
    return async (request, reply) => {
      const call = toFinalizeUploadRequest(validate(request.body));
      return sendJson(reply, 200, renderDocument(await document.finalizeUpload(call, onBehalfOf(request))));
    };
  },
};

const nameOfCategory = enumWriter(DocumentCategorySchema, '_');
const nameOfScanStatus = enumWriter(ScanStatusSchema, '_');

/** Converts a validated body to its RPC request. */
function toFinalizeUploadRequest(body: FinalizeUploadBody): FinalizeUploadRequest {
  return create(FinalizeUploadRequestSchema, {
    externalReference: body.external_reference,
    documentId: body.document_id.toLowerCase(),
  });
}

function renderDocument({ documentId, category, scanStatus }: Document): string {
  return JSON.stringify({
    document_id: documentId,
    category: nameOfCategory(category),
    scan_status: nameOfScanStatus(scanStatus),
  });
}
