import { submissionStatus } from '../../openapi/answer-schemas.ts';
import type { OperationReference } from '../../openapi/operation-reference.ts';
import { EXTERNAL_REFERENCE, STATUS_EXAMPLES } from '../../openapi/samples.ts';
import { closed, externalReference } from '../../validation/field-types.ts';

/** Schema of the decoded query; parameters outside the contract are ignored. */
export const getSubmissionByReferenceSchema = closed({ external_reference: externalReference() });

export const getSubmissionByReferenceReference: OperationReference = {
  id: 'getSubmissionByReference',
  summary: 'Read a submission by your reference',
  description: `Returns the current state of a submission. Use it to recover from a lost response or webhook, and to reconcile. To follow a submission, use webhooks.

The response has a handoff while its link works. This operation never creates a new link.`,
  query: getSubmissionByReferenceSchema,
  parameterExamples: { external_reference: EXTERNAL_REFERENCE },
  answers: {
    200: {
      description: 'The current state of the submission.',
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
