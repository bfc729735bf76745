import { create } from '@bufbuild/protobuf';
import type { SubmissionId } from '@supplier/lib/text/ids';
import { Scope } from '@supplier/proto/common/v1/principal';
import {
  type CorrectContactRequest,
  CorrectContactRequestSchema,
} from '@supplier/proto/submission/v1/submission';
import { bodyFingerprint, readContactMethod } from '../../enquiry/to-create-request.ts';
import { checkBoth } from '../../validation/check-both.ts';
import { compileValidator } from '../../validation/validator.ts';
import { type Operation, onBehalfOf, sendStatus, submissionIdIn } from '../operation.ts';
import { correctContactReference } from './correct-contact.reference.ts';
import { type CorrectContactBody, correctContactSchema } from './correct-contact.schema.ts';

/**
 * Corrects working contact fields of a basic submission: returns 200 with the status object, also for a repeated
 * request with the same key and body. Rejected if another correction came first. Implements docs/contract.md, section
 * 2.
 */
export const correctContact: Operation = {
  method: 'POST',
  path: '/v1/supplier-submissions/:submission_id/contact-corrections',
  anyScope: [Scope.CORRECT],
  reference: correctContactReference,
  prepare({ config, submission }) {
    const validate = compileValidator(correctContactSchema(config.screeningProvider));
    return async (request, reply) => {
      const [id, body] = checkBoth(
        () => submissionIdIn(request.params),
        () => validate(request.body),
      );
      const call = toCorrectContactRequest(id, body);
      return sendStatus(reply, 200, await submission.correctContact(call, onBehalfOf(request)));
    };
  },
};

/** Converts a validated correction to its RPC request. Omitted fields stay unchanged. */
function toCorrectContactRequest(
  submissionId: SubmissionId,
  body: CorrectContactBody,
): CorrectContactRequest {
  return create(CorrectContactRequestSchema, {
    submissionId,
    operationIdempotencyKey: body.operation_idempotency_key,
    expectedRevision: BigInt(body.expected_revision),
    contact: {
      firstName: body.first_name,
      lastName: body.last_name,
      telephone: body.telephone,
      email: body.email,
      preferredContactMethod: readContactMethod(body.preferred_contact_method),
    },
    bodyFingerprint: bodyFingerprint(body),
  });
}
