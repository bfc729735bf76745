import { submissionStatus } from '../../openapi/answer-schemas.ts';
import type { OperationReference } from '../../openapi/operation-reference.ts';
import {
  CAPTURE,
  CONSENTS,
  CONTACT,
  STATUS_EXAMPLES,
  SUBMISSION_ID,
  screening,
} from '../../openapi/samples.ts';
import { promoteSubmissionSchema } from './schema.ts';

const least = {
  operation_idempotency_key: 'promote-000417',
  ...CONTACT,
  business_name: 'Sample Trading Ltd',
  funding_amount: 30_000,
  ...CONSENTS,
  marketing: true,
  ...CAPTURE,
};

const whole = (provider: string) => ({
  ...least,
  business_structure: 'limited-company',
  business_sector: 'construction',
  trading_duration: '2-5-years',
  funding_purpose: 'equipment',
  funding_timeframe: 'asap',
  preferred_contact_method: 'phone',
  annual_turnover_gbp: 480_000,
  annual_turnover_range: '250k-500k',
  date_of_birth: '1985-12-10',
  home_address: { address_line_1: '12 Example Square', city: 'London', postcode: 'SW1Y 4ZZ' },
  residence_since: '2019-04',
  funding_purpose_detail: 'A second excavator',
  company_number: '01234567',
  credit_screening: screening(provider),
  stated_collection_basis: { stated_basis: 'legitimate interests' },
});

export const promoteSubmissionReference: OperationReference = {
  id: 'promoteSubmission',
  summary: 'Promote a submission to an Application',
  description: `Completes an accepted submission of basic level and creates its Application. There is never more than one, however many promotions arrive together.

Send the identical request, with its operation_idempotency_key, again when no answer came: it answers 200 as before. A new key is for a new promotion, which is refused once there is an Application.

A promotion by itself sends no webhook; billing that moves because of it does.`,
  body: promoteSubmissionSchema,
  bodyExamples: (provider) => ({
    least: { summary: 'The least that is accepted', value: least },
    whole: { summary: 'Every field', value: whole(provider) },
  }),
  parameterExamples: { submission_id: SUBMISSION_ID },
  answers: {
    200: {
      description: 'Promoted, now or by the same request before.',
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
