import { requiredSample, wholeSample } from '../../enquiry/sample.ts';
import { submissionStatus } from '../../openapi/answer-schemas.ts';
import type { OperationReference } from '../../openapi/operation-reference.ts';
import { STATUS_EXAMPLES, SUBMISSION_ID } from '../../openapi/samples.ts';
import { promoteSubmissionSchema } from './promote-submission.schema.ts';

const completed = { funding_amount: 30_000, marketing: true };

const minimal = (provider: string) => ({
  operation_idempotency_key: 'promote-000417',
  ...requiredSample(promoteSubmissionSchema(provider), provider),
  ...completed,
});

const whole = (provider: string) => ({
  ...minimal(provider),
  ...wholeSample(promoteSubmissionSchema(provider), provider),
  ...completed,
  funding_timeframe: 'asap',
  preferred_contact_method: 'phone',
  home_address: { address_line_1: '12 Example Square', city: 'London', postcode: 'SW1Y 4ZZ' },
  stated_collection_basis: { stated_basis: 'legitimate interests' },
});

export const promoteSubmissionReference: OperationReference = {
  id: 'promoteSubmission',
  summary: 'Promote a submission to an Application',
  description: `Completes an accepted basic submission and creates its Application. There is never more than one, even if several promotions arrive together.

If you don't get a response, send the same request with the same operation_idempotency_key again. It returns 200. A new key means a new promotion, which is refused once there is an Application.

A promotion sends no webhook, but a change of billing that it causes does.`,
  body: promoteSubmissionSchema,
  bodyExamples: (provider) => ({
    least: { summary: 'Required fields only', value: minimal(provider) },
    whole: { summary: 'Every field', value: whole(provider) },
  }),
  parameterExamples: { submission_id: SUBMISSION_ID },
  answers: {
    200: {
      description: 'Promoted by this request, or by the same request before.',
      schema: submissionStatus,
      schemaName: 'SubmissionStatus',
      examples: { promoted: STATUS_EXAMPLES.promoted },
    },
  },
  errors: [
    'bad_request',
    'unauthorized',
    'forbidden',
    'not_found',
    'idempotency_conflict',
    'concurrent_promotion',
    'payload_too_large',
    'validation_error',
    'rate_limited',
    'service_unavailable',
  ],
};
