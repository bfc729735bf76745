import { create } from '@bufbuild/protobuf';
import { Scope } from '@supplier/proto/common/v1/principal';
import { GetSubmissionRequestSchema } from '@supplier/proto/submission/v1/submission';
import { type Operation, onBehalfOf, sendStatus, submissionIdIn } from '../operation.ts';
import { getSubmissionReference } from './get-submission.reference.ts';

/** Reads the current status by id. Implements docs/contract.md, section 3. */
export const getSubmission: Operation = {
  method: 'GET',
  path: '/v1/supplier-submissions/:submission_id',
  anyScope: [Scope.READ],
  reference: getSubmissionReference,
  prepare: ({ submission }) => {
    return async (request, reply) => {
      const call = create(GetSubmissionRequestSchema, { submissionId: submissionIdIn(request.params) });
      return sendStatus(reply, 200, await submission.getSubmission(call, onBehalfOf(request)));
    };
  },
};
