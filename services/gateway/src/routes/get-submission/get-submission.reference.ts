import { submissionStatus } from '../../openapi/answer-schemas.ts';
import type { OperationReference } from '../../openapi/operation-reference.ts';
import { STATUS_EXAMPLES, SUBMISSION_ID } from '../../openapi/samples.ts';

export const getSubmissionReference: OperationReference = {
  id: 'getSubmission',
  summary: 'Read a submission by its id',
  description: `Answers with the submission as it now is, in the form that webhooks carry.

For an account with the document-first journey, an accepted submission whose link was used or has expired gets a fresh handoff with this answer. A new link alone sends no webhook.`,
  parameterExamples: { submission_id: SUBMISSION_ID },
  answers: {
    200: {
      description: 'The submission as it now is.',
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
