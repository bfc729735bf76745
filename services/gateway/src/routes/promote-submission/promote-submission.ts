import { create } from '@bufbuild/protobuf';
import type { SubmissionId } from '@supplier/lib/text/ids';
import { Scope } from '@supplier/proto/common/v1/principal';
import {
  type PromoteSubmissionRequest,
  PromoteSubmissionRequestSchema,
} from '@supplier/proto/submission/v1/promote_submission';
import { bodyFingerprint, toEnquiry } from '../../enquiry/to-create-request.ts';
import { checkBoth } from '../../validation/check-both.ts';
import { compileValidator } from '../../validation/validator.ts';
import { type Operation, onBehalfOf, sendStatus, submissionIdIn } from '../operation.ts';
import { promoteSubmissionReference } from './promote-submission.reference.ts';
import { type PromoteSubmissionBody, promoteSubmissionSchema } from './promote-submission.schema.ts';

/**
 * Promotes an accepted basic submission to its only Application: returns 200 with the Application's reference, also for
 * a repeated request with the same key and body. Implements docs/contract.md, section 2.
 */
export const promoteSubmission: Operation = {
  method: 'POST',
  path: '/v1/supplier-submissions/:submission_id/promotion',
  anyScope: [Scope.PROMOTE],
  reference: promoteSubmissionReference,
  prepare({ config, submission }) {
    const validate = compileValidator(promoteSubmissionSchema(config.screeningProvider));
    return async (request, reply) => {
      const [id, body] = checkBoth(
        () => submissionIdIn(request.params),
        () => validate(request.body),
      );
      const call = toPromoteSubmissionRequest(id, body);
      return sendStatus(reply, 200, await submission.promoteSubmission(call, onBehalfOf(request)));
    };
  },
};

/** Converts a validated promotion to its RPC request. */
function toPromoteSubmissionRequest(
  submissionId: SubmissionId,
  body: PromoteSubmissionBody,
): PromoteSubmissionRequest {
  return create(PromoteSubmissionRequestSchema, {
    submissionId,
    operationIdempotencyKey: body.operation_idempotency_key,
    enquiry: toEnquiry(body),
    bodyFingerprint: bodyFingerprint(body),
  });
}
