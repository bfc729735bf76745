import { create } from '@bufbuild/protobuf';
import {
  type CreateUploadRequest,
  CreateUploadRequestSchema,
  type CreateUploadResponse,
  DocumentCategorySchema,
} from '@supplier/proto/document/v1/document';
import { enumReader } from '../../enquiry/enum-reader.ts';
import { PublicError } from '../../errors/public-error.ts';
import type { CreateUploadUrlBody } from './schema.ts';

/** The largest file, in bytes: 25 MiB. */
export const MAX_DOCUMENT_BYTES = 26_214_400;

const readCategory = enumReader(DocumentCategorySchema, '_');

/** The RPC that a validated body asks for. Throws payload_too_large for a file over {@link MAX_DOCUMENT_BYTES}. */
export function toCreateUploadRequest(body: CreateUploadUrlBody): CreateUploadRequest {
  if (body.byte_size > MAX_DOCUMENT_BYTES) {
    throw new PublicError('payload_too_large', {
      sentence: 'The file is too large.',
      details: { max_bytes: MAX_DOCUMENT_BYTES },
    });
  }
  return create(CreateUploadRequestSchema, {
    externalReference: body.external_reference,
    filename: body.filename,
    contentType: body.content_type,
    byteSize: BigInt(body.byte_size),
    category: readCategory(body.category),
  });
}

/** The public JSON of a reserved upload. */
export function renderUpload({ documentId, uploadUrl }: CreateUploadResponse): string {
  return JSON.stringify({ document_id: documentId, upload_url: uploadUrl });
}
