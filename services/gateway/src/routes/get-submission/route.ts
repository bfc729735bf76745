import { Scope } from '@supplier/proto/common/v1/principal';
import { getSubmissionDocumentation } from '../../openapi/operations/get-submission.ts';
import { onBehalfOf } from '../on-behalf-of.ts';
import type { Operation } from '../operation.ts';
import { sendStatus } from '../send-status.ts';
import { toGetSubmissionRequest } from './mapping.ts';

/** Reads the current status by id. Implements docs/contract.md, section 3. */
export const getSubmission: Operation = {
  method: 'GET',
  path: '/v1/supplier-submissions/:submission_id',
  anyScope: [Scope.READ],
  documentation: getSubmissionDocumentation,
  prepare: ({ submission }) => {
    return async (request, reply) => {
      const call = toGetSubmissionRequest(request.params);
      return sendStatus(reply, 200, await submission.getSubmission(call, onBehalfOf(request)));
    };
  },
};
