import type { Static } from 'typebox';
import { supplierDocument } from '../../openapi/answer-schemas.ts';
import type { OperationReference } from '../../openapi/operation-reference.ts';
import { DOCUMENT_ID, EXTERNAL_REFERENCE } from '../../openapi/samples.ts';
import { closed, externalReference, uuid } from '../../validation/field-types.ts';

/** Returns the schema of a finalize request's body. Implements docs/contract.md, section 2. */
export const finalizeUploadSchema = () =>
  closed({
    external_reference: externalReference(),
    document_id: uuid(),
  });

export type FinalizeUploadBody = Static<ReturnType<typeof finalizeUploadSchema>>;

export const finalizeUploadReference: OperationReference = {
  id: 'finalizeUpload',
  summary: 'Finalize a document upload',
  description: `The second step: confirms the upload and attaches the document to its submission, which must exist. We then scan the file for malware.

You can safely repeat the request, which returns the current scan status. A file that differs from the upload request is refused with 422 and never attached.`,
  body: finalizeUploadSchema,
  bodyExamples: () => ({
    statement: {
      summary: 'The file has been uploaded',
      value: { external_reference: EXTERNAL_REFERENCE, document_id: DOCUMENT_ID },
    },
  }),
  answers: {
    200: {
      description: 'The document is attached to the submission.',
      schema: supplierDocument,
      schemaName: 'SupplierDocument',
      examples: {
        waiting: {
          summary: 'Attached; the scan is pending',
          value: { document_id: DOCUMENT_ID, category: 'bank_statements', scan_status: 'pending_scan' },
        },
      },
    },
  },
  errors: [
    'bad_request',
    'unauthorized',
    'forbidden',
    'not_found',
    'payload_too_large',
    'validation_error',
    'rate_limited',
    'service_unavailable',
  ],
};
