import { Scope } from '@supplier/proto/common/v1/principal';
import { onBehalfOf } from '../on-behalf-of.ts';
import type { Operation } from '../operation.ts';
import { sendStatus } from '../send-answer.ts';
import { toGetSubmissionByReferenceRequest } from './mapping.ts';
import { getSubmissionByReferenceReference } from './reference.ts';

/** Reads the current status by the supplier's own reference. Implements docs/contract.md, section 3. */
export const getSubmissionByReference: Operation = {
  method: 'GET',
  path: '/v1/supplier-submissions',
  anyScope: [Scope.READ],
  reference: getSubmissionByReferenceReference,
  prepare: ({ submission }) => {
    return async (request, reply) => {
      const call = toGetSubmissionByReferenceRequest(request.url);
      const status = await submission.getSubmissionByReference(call, onBehalfOf(request));
      return sendStatus(reply, 200, status);
    };
  },
};
