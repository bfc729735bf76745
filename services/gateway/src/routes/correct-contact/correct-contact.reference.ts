import { submissionStatus } from '../../openapi/answer-schemas.ts';
import type { OperationReference } from '../../openapi/operation-reference.ts';
import { STATUS_EXAMPLES, SUBMISSION_ID } from '../../openapi/samples.ts';
import { correctContactSchema } from './correct-contact.schema.ts';

export const correctContactReference: OperationReference = {
  id: 'correctContact',
  summary: 'Correct the contact of a submission',
  description: `Replaces contact fields of a basic submission that is received or accepted. Send at least one contact field. The others do not change.

expected_revision is the number of corrections that you know of: 0 for the first one, 1 for the next. If another correction came first, the response is 409 revision_conflict, and its details have the current number.

If you don't get a response, send the same request with the same operation_idempotency_key again. It returns 200 and counts once. An existing Application keeps its contact. We send no webhook.`,
  body: correctContactSchema,
  bodyExamples: () => ({
    telephone: {
      summary: 'First correction: the telephone number',
      value: {
        operation_idempotency_key: 'correct-000417-1',
        expected_revision: 0,
        telephone: '07700 900123',
      },
    },
    whole: {
      summary: 'Second correction: all contact fields',
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
      description: 'Corrected by this request, or by the same request before.',
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
