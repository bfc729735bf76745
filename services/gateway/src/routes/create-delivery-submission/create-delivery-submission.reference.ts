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
  description: `Sends an enquiry at basic level. The response already has the decision. We create the Application of an accepted enquiry shortly afterwards, without a promotion, and reads then include it.

The status is received if our staff make the decisions for your account.

An email address is required if the customer expects or prefers to be contacted by email.

Both creates share references, and you can safely repeat a request: the same body with the same reference returns 200 again.`,
  body: createDeliverySubmissionSchema,
  bodyExamples: (provider) => ({
    least: { summary: 'Required fields only', value: minimal(provider) },
    whole: { summary: 'Every field', value: whole(provider) },
  }),
  answers: {
    200: {
      description: 'The current state of the submission, recorded now or before.',
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
