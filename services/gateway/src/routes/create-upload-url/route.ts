import { Scope } from '@supplier/proto/common/v1/principal';
import { compileValidator } from '../../validation/validator.ts';
import { onBehalfOf } from '../on-behalf-of.ts';
import type { Operation } from '../operation.ts';
import { sendJson } from '../send-answer.ts';
import { renderUpload, toCreateUploadRequest } from './mapping.ts';
import { createUploadUrlReference } from './reference.ts';
import { createUploadUrlSchema, withListedType, writtenTypeOf } from './schema.ts';

/**
 * Reserves a document and answers with the one URL its bytes may be sent to. The submission need not exist yet.
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
