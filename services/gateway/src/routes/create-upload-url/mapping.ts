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

/** The RPC that a validated body asks for. How large a file may be is the document service's to say. */
export function toCreateUploadRequest(body: CreateUploadUrlBody): CreateUploadRequest {
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
