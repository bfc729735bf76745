import { documentUpload } from '../../openapi/answer-schemas.ts';
import type { OperationReference } from '../../openapi/operation-reference.ts';
import { DOCUMENT_ID, EXTERNAL_REFERENCE } from '../../openapi/samples.ts';
import { createUploadUrlSchema } from './create-upload-url.schema.ts';

export const createUploadUrlReference: OperationReference = {
  id: 'createUploadUrl',
  summary: 'Ask for a document upload URL',
  description: `The first of two steps that attach a file which the customer gave you. The answer names a URL; PUT the bytes there, with exactly the size and content type that you announced, and then finalize.

The submission need not exist yet. The URL works for a short time; ask for another when it has expired. An upload that is never finalized is deleted. A file that is announced larger than is accepted is refused with 413, and one document too many for its submission, or for all of yours together, with 422.

The name of the file is shown to the people who work on the submission, and means nothing else.`,
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
      description: 'The document has an id, and a URL for its bytes.',
      schema: documentUpload,
      schemaName: 'DocumentUpload',
      examples: {
        upload: {
          summary: 'Where to PUT the bytes',
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
