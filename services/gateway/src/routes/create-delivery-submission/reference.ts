import { submissionStatus } from '../../openapi/answer-schemas.ts';
import type { OperationReference } from '../../openapi/operation-reference.ts';
import { CAPTURE, CONSENTS, CONTACT, EXTERNAL_REFERENCE, STATUS_EXAMPLES } from '../../openapi/samples.ts';
import { createDeliverySubmissionSchema } from './schema.ts';

const { email, ...reachedByTelephone } = CONTACT;

const least = {
  external_reference: EXTERNAL_REFERENCE,
  level: 'basic',
  ...reachedByTelephone,
  business_name: 'Sample Trading Ltd',
  funding_amount: 25_000,
  contact_expectation: { ...CONSENTS.contact_expectation, channels: ['phone'] },
  ...CAPTURE,
};

const whole = {
  ...least,
  email,
  contact_expectation: CONSENTS.contact_expectation,
  business_sector: 'construction',
  preferred_contact_method: 'email',
  funding_timeframe: 'asap',
  trading_duration: '2-5-years',
  funding_purpose: 'equipment',
  annual_turnover_gbp: 480_000,
  annual_turnover_range: '250k-500k',
  funding_purpose_detail: 'A second excavator',
  company_number: '01234567',
  notes: 'Best reached before noon.',
};

export const createDeliverySubmissionReference: OperationReference = {
  id: 'createDeliverySubmission',
  summary: 'Create a submission on the delivery contract',
  description: `Sends an enquiry at basic level and answers with the decision already in it. The Application of an accepted enquiry is created right after, without a promotion: a read shows it as soon as it is there.

The status is received where your account's decisions are made by people.

An email address is required when the customer expects to be contacted by email, or prefers it.

References are shared with the other create, and repeating a request is as safe here: the same body under the same reference answers 200 again.`,
  body: createDeliverySubmissionSchema,
  bodyExamples: () => ({
    least: { summary: 'The least that is accepted', value: least },
    whole: { summary: 'Every field', value: whole },
  }),
  answers: {
    200: {
      description: 'Recorded, now or before: the submission as it is.',
      schema: submissionStatus,
      schemaName: 'SubmissionStatus',
      examples: { accepted: STATUS_EXAMPLES.acceptedBasic },
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
