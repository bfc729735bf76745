import { submissionStatus } from '../../openapi/answer-schemas.ts';
import type { OperationReference } from '../../openapi/operation-reference.ts';
import {
  CAPTURE,
  CONSENTS,
  CONTACT,
  EXTERNAL_REFERENCE,
  STATUS_EXAMPLES,
  screening,
} from '../../openapi/samples.ts';
import { createSubmissionSchema } from './schema.ts';

const least = {
  external_reference: EXTERNAL_REFERENCE,
  level: 'application',
  ...CONTACT,
  business_name: 'Sample Trading Ltd',
  business_structure: 'limited-company',
  business_sector: 'construction',
  trading_duration: '2-5-years',
  funding_amount: 25_000,
  funding_purpose: 'equipment',
  funding_timeframe: 'within-1-month',
  preferred_contact_method: 'either',
  ...CONSENTS,
  marketing: false,
  ...CAPTURE,
};

const whole = (provider: string) => ({
  ...least,
  annual_turnover_gbp: 480_000,
  annual_turnover_range: '250k-500k',
  date_of_birth: '1985-12-10',
  home_address: {
    address_line_1: '12 Example Square',
    address_line_2: 'Flat 3',
    city: 'London',
    postcode: 'SW1Y 4ZZ',
    country: 'United Kingdom',
  },
  residence_since: '2019-04',
  funding_purpose_detail: 'A second excavator',
  company_number: '01234567',
  credit_screening: screening(provider),
  stated_collection_basis: { stated_basis: 'legitimate interests', wording_version: 'basis-1' },
});

export const createSubmissionReference: OperationReference = {
  id: 'createSubmission',
  summary: 'Create a submission',
  description: `Sends an enquiry at application level. It is recorded at once; the commercial decision follows, and reaches you as a webhook.

Sending the same body again under the same reference is safe: it answers 200 with the submission as it now is, however often and however close together. Two bodies are the same when they hold the same JSON; order of keys, white space and the spelling of numbers do not matter.

Where your account has the arrival screen, the answer carries arrival_screen_url: redirect the applicant there at once. A repeated request carries it too, for as long as the link is unused.`,
  body: createSubmissionSchema,
  bodyExamples: (provider) => ({
    least: { summary: 'The least that is accepted', value: least },
    whole: { summary: 'Every field', value: whole(provider) },
  }),
  answers: {
    200: {
      description: 'The same request was recorded before: the submission as it now is.',
      schema: submissionStatus,
      schemaName: 'SubmissionStatus',
      examples: { replay: STATUS_EXAMPLES.accepted },
    },
    202: {
      description: 'Recorded. The decision is to follow.',
      schema: submissionStatus,
      schemaName: 'SubmissionStatus',
      examples: {
        received: STATUS_EXAMPLES.received,
        arrivalScreen: STATUS_EXAMPLES.receivedWithArrivalScreen,
        sandbox: STATUS_EXAMPLES.sandbox,
      },
    },
  },
  errors: [
    'bad_request',
    'unauthorized',
    'forbidden',
    'external_reference_conflict',
    'payload_too_large',
    'validation_error',
    'rate_limited',
    'service_unavailable',
  ],
};
