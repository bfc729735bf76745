import { documentUpload } from '../../openapi/answer-schemas.ts';
import type { OperationReference } from '../../openapi/operation-reference.ts';
import { DOCUMENT_ID, EXTERNAL_REFERENCE } from '../../openapi/samples.ts';
import { createUploadUrlSchema } from './create-upload-url.schema.ts';

export const createUploadUrlReference: OperationReference = {
  id: 'createUploadUrl',
  summary: 'Request a document upload URL',
  description: `The first of two steps to attach a file from the customer. PUT the file to the URL in the response, with exactly the size and content type of this request, then finalize it.

The submission need not exist yet. The URL works for a short time. Request another if it has expired. We delete uploads that are not finalized. A file over the size limit is refused with 413. A document over the limit of its submission or of your account is refused with 422.

Our staff see the file name. It has no other effect.`,
  body: createUploadUrlSchema,
  bodyExamples: () => ({
    statement: {
      summary: 'A bank statement',
      value: {
        external_reference: EXTERNAL_REFERENCE,
        filename: 'statement-2026-10.pdf',
        content_type: 'application/pdf',
        byte_size: 184_320,
        category: 'bank_statements',
      },
    },
  }),
  answers: {
    200: {
      description: 'The id of the document and its upload URL.',
      schema: documentUpload,
      schemaName: 'DocumentUpload',
      examples: {
        upload: {
          summary: 'Where to PUT the file',
          value: {
            document_id: DOCUMENT_ID,
            upload_url: `https://uploads.supplier.example/quarantine/${DOCUMENT_ID}?signature=3f9c`,
          },
        },
      },
    },
  },
  errors: [
    'bad_request',
    'unauthorized',
    'forbidden',
    'payload_too_large',
    'validation_error',
    'rate_limited',
    'service_unavailable',
  ],
};
