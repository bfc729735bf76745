import { submissionStatus } from '../../openapi/answer-schemas.ts';
import type { OperationReference } from '../../openapi/operation-reference.ts';
import { EXTERNAL_REFERENCE, STATUS_EXAMPLES } from '../../openapi/samples.ts';
import { closed, externalReference } from '../../validation/field-types.ts';

/** Schema of the decoded query; parameters outside the contract are ignored. */
export const getSubmissionByReferenceSchema = closed({ external_reference: externalReference() });

export const getSubmissionByReferenceReference: OperationReference = {
  id: 'getSubmissionByReference',
  summary: 'Read a submission by your reference',
  description: `Answers with the submission as it now is. Use it to recover when a create got no answer or a webhook went missing, and to reconcile; webhooks are the way to follow a submission.

The answer carries a handoff while there is a link that works. This operation never makes a new one.`,
  query: getSubmissionByReferenceSchema,
  parameterExamples: { external_reference: EXTERNAL_REFERENCE },
  answers: {
    200: {
      description: 'The submission as it now is.',
      schema: submissionStatus,
      schemaName: 'SubmissionStatus',
      examples: {
        received: STATUS_EXAMPLES.received,
        accepted: STATUS_EXAMPLES.accepted,
        rejected: STATUS_EXAMPLES.rejected,
        duplicate: STATUS_EXAMPLES.duplicate,
        returned: STATUS_EXAMPLES.returned,
      },
    },
  },
  errors: [
    'bad_request',
    'unauthorized',
    'forbidden',
    'not_found',
    'validation_error',
    'rate_limited',
    'service_unavailable',
  ],
};
