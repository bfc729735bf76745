import { create } from '@bufbuild/protobuf';
import {
  type CreateUploadRequest,
  CreateUploadRequestSchema,
  type CreateUploadResponse,
  DocumentCategorySchema,
} from '@supplier/proto/document/v1/document';
import { enumReader } from '../../enquiry/enum-names.ts';
import type { CreateUploadUrlBody } from './schema.ts';

const readCategory = enumReader(DocumentCategorySchema, '_');

/**
 * The request for a validated body. The upload URL is signed for the content type as it was written. The document
 * service decides how large a file may be.
 */
export function toCreateUploadRequest(body: CreateUploadUrlBody, writtenType: string): CreateUploadRequest {
  return create(CreateUploadRequestSchema, {
    externalReference: body.external_reference,
    filename: body.filename,
    contentType: writtenType,
    byteSize: BigInt(body.byte_size),
    category: readCategory(body.category),
  });
}

/** The public JSON of a reserved upload. */
export function renderUpload({ documentId, uploadUrl }: CreateUploadResponse): string {
  return JSON.stringify({ document_id: documentId, upload_url: uploadUrl });
}
