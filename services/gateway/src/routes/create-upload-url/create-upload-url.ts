import { create } from '@bufbuild/protobuf';
import { Scope } from '@supplier/proto/common/v1/principal';
import {
  type CreateUploadRequest,
  CreateUploadRequestSchema,
  type CreateUploadResponse,
  DocumentCategorySchema,
} from '@supplier/proto/document/v1/document';
import { enumReader } from '../../enquiry/enum-names.ts';
import { compileValidator } from '../../validation/validator.ts';
import { type Operation, onBehalfOf, sendJson } from '../operation.ts';
import { createUploadUrlReference } from './create-upload-url.reference.ts';
import {
  type CreateUploadUrlBody,
  createUploadUrlSchema,
  withListedType,
  writtenTypeOf,
} from './create-upload-url.schema.ts';

/**
 * Reserves a document and returns the only URL to which its bytes can be sent. The submission need not exist yet.
 * Implements docs/contract.md, section 2.
 */
export const createUploadUrl: Operation = {
  method: 'POST',
  path: '/v1/supplier-submissions/documents/upload-url',
  anyScope: [Scope.CREATE_BASIC, Scope.CREATE_APPLICATION],
  reference: createUploadUrlReference,
  prepare({ document }) {
    const validate = compileValidator(createUploadUrlSchema());
    return async (request, reply) => {
      const body = validate(withListedType(request.body));
      const call = toCreateUploadRequest(body, writtenTypeOf(request.body) ?? body.content_type);
      return sendJson(reply, 200, renderUpload(await document.createUpload(call, onBehalfOf(request))));
    };
  },
};

const readCategory = enumReader(DocumentCategorySchema, '_');

/**
 * Converts a validated body to its RPC request. The upload URL is signed for the content type as written. The document
 * service decides the maximum file size.
 */
function toCreateUploadRequest(body: CreateUploadUrlBody, writtenType: string): CreateUploadRequest {
  return create(CreateUploadRequestSchema, {
    externalReference: body.external_reference,
    filename: body.filename,
    contentType: writtenType,
    byteSize: BigInt(body.byte_size),
    category: readCategory(body.category),
  });
}

/** Renders a reserved upload as public JSON. */
function renderUpload({ documentId, uploadUrl }: CreateUploadResponse): string {
  return JSON.stringify({ document_id: documentId, upload_url: uploadUrl });
}
