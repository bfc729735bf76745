import { submissionStatus } from '../../openapi/answer-schemas.ts';
import type { OperationReference } from '../../openapi/operation-reference.ts';
import { STATUS_EXAMPLES, SUBMISSION_ID } from '../../openapi/samples.ts';
import { correctContactSchema } from './correct-contact.schema.ts';

export const correctContactReference: OperationReference = {
  id: 'correctContact',
  summary: 'Correct the contact of a submission',
  description: `Replaces contact fields of a submission of basic level that is received or accepted. At least one contact field must be there; the others stay as they are.

expected_revision is the number of corrections that you know of: 0 for the first one, 1 for the next. When another correction came first, the answer is 409 revision_conflict and its details say how many there are.

Send the identical request, with its operation_idempotency_key, again when no answer came: it answers 200 and counts once. What an Application was created with stays as it was. No webhook is sent.`,
  body: correctContactSchema,
  bodyExamples: () => ({
    telephone: {
      summary: 'The first correction: another telephone number',
      value: {
        operation_idempotency_key: 'correct-000417-1',
        expected_revision: 0,
        telephone: '07700 900123',
      },
    },
    whole: {
      summary: 'The second one: every contact field',
      value: {
        operation_idempotency_key: 'correct-000417-2',
        expected_revision: 1,
        first_name: 'Ada',
        last_name: 'Sample-Jones',
        telephone: '07700 900124',
        email: 'ada.jones@sample-trading.example',
        preferred_contact_method: 'phone',
      },
    },
  }),
  parameterExamples: { submission_id: SUBMISSION_ID },
  answers: {
    200: {
      description: 'Corrected, now or by the same request before.',
      schema: submissionStatus,
      schemaName: 'SubmissionStatus',
      examples: { corrected: STATUS_EXAMPLES.corrected },
    },
  },
  errors: [
    'bad_request',
    'unauthorized',
    'forbidden',
    'not_found',
    'revision_conflict',
    'idempotency_conflict',
    'payload_too_large',
    'validation_error',
    'rate_limited',
    'service_unavailable',
  ],
};
