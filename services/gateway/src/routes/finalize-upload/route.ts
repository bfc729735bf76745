import { Scope } from '@supplier/proto/common/v1/principal';
import { compileValidator } from '../../validation/validator.ts';
import { onBehalfOf } from '../on-behalf-of.ts';
import type { Operation } from '../operation.ts';
import { sendJson } from '../send-answer.ts';
import { renderDocument, toFinalizeUploadRequest } from './mapping.ts';
import { finalizeUploadReference } from './reference.ts';
import { finalizeUploadSchema } from './schema.ts';

/**
 * Confirms that the bytes of a document have arrived and binds it to its submission: 200 with its scan status, again
 * and again. Implements docs/contract.md, section 2.
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
