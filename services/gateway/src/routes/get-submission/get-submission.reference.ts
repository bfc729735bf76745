import { submissionStatus } from '../../openapi/answer-schemas.ts';
import type { OperationReference } from '../../openapi/operation-reference.ts';
import { STATUS_EXAMPLES, SUBMISSION_ID } from '../../openapi/samples.ts';

export const getSubmissionReference: OperationReference = {
  id: 'getSubmission',
  summary: 'Read a submission by its id',
  description: `Returns the current state of a submission, in the same format as webhooks.

If your account has the document-first journey, and the link of an accepted submission was used or has expired, the response has a new handoff. We send no webhook for it.`,
  parameterExamples: { submission_id: SUBMISSION_ID },
  answers: {
    200: {
      description: 'The current state of the submission.',
      schema: submissionStatus,
      schemaName: 'SubmissionStatus',
      examples: {
        accepted: STATUS_EXAMPLES.accepted,
        handoff: STATUS_EXAMPLES.acceptedWithHandoff,
        returned: STATUS_EXAMPLES.returned,
      },
    },
  },
  errors: [
    'unauthorized',
    'forbidden',
    'not_found',
    'validation_error',
    'rate_limited',
    'service_unavailable',
  ],
};
