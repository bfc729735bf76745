import { requiredSample, wholeSample } from '../../enquiry/sample.ts';
import { submissionStatus } from '../../openapi/answer-schemas.ts';
import type { OperationReference } from '../../openapi/operation-reference.ts';
import { EXTERNAL_REFERENCE, STATUS_EXAMPLES } from '../../openapi/samples.ts';
import { createDeliverySubmissionSchema } from './create-delivery-submission.schema.ts';

const minimal = (provider: string) => {
  const fields = requiredSample(createDeliverySubmissionSchema(provider), provider);
  return {
    external_reference: EXTERNAL_REFERENCE,
    level: 'basic',
    ...fields,
    contact_expectation: { ...fields.contact_expectation, channels: ['phone'] },
  };
};

const whole = (provider: string) => ({
  ...minimal(provider),
  ...wholeSample(createDeliverySubmissionSchema(provider), provider),
  preferred_contact_method: 'email',
  funding_timeframe: 'asap',
});

export const createDeliverySubmissionReference: OperationReference = {
  id: 'createDeliverySubmission',
  summary: 'Create a submission on the delivery contract',
  description: `Sends an enquiry at basic level and answers with the decision already in it. The Application of an accepted enquiry is created right after, without a promotion: a read shows it as soon as it is there.

The status is received where your account's decisions are made by people.

An email address is required when the customer expects to be contacted by email, or prefers it.

References are shared with the other create, and repeating a request is as safe here: the same body under the same reference answers 200 again.`,
  body: createDeliverySubmissionSchema,
  bodyExamples: (provider) => ({
    least: { summary: 'The least that is accepted', value: minimal(provider) },
    whole: { summary: 'Every field', value: whole(provider) },
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
