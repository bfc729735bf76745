import { requiredSample, wholeSample } from '../../enquiry/sample.ts';
import { createdSubmission } from '../../openapi/answer-schemas.ts';
import type { OperationReference } from '../../openapi/operation-reference.ts';
import { EXTERNAL_REFERENCE, STATUS_EXAMPLES } from '../../openapi/samples.ts';
import { createSubmissionSchema } from './create-submission.schema.ts';

const minimal = (provider: string) => ({
  external_reference: EXTERNAL_REFERENCE,
  level: 'application',
  ...requiredSample(createSubmissionSchema(provider), provider),
});

const whole = (provider: string) => ({
  ...minimal(provider),
  ...wholeSample(createSubmissionSchema(provider), provider),
});

export const createSubmissionReference: OperationReference = {
  id: 'createSubmission',
  summary: 'Create a submission',
  description: `Sends an enquiry at application level. It is recorded at once; the commercial decision follows, and reaches you as a webhook.

Sending the same body again under the same reference is safe: it answers 200 with the submission as it now is, however often and however close together. Two bodies are the same when they hold the same JSON; order of keys, white space and the spelling of numbers do not matter.

Where your account has the arrival screen, the answer carries arrival_screen_url: redirect the applicant there at once. A repeated request carries it too, for as long as the link is unused.`,
  body: createSubmissionSchema,
  bodyExamples: (provider) => ({
    least: { summary: 'The least that is accepted', value: minimal(provider) },
    whole: { summary: 'Every field', value: whole(provider) },
  }),
  answers: {
    200: {
      description: 'The same request was recorded before: the submission as it now is.',
      schema: createdSubmission,
      schemaName: 'CreatedSubmission',
      examples: { replay: STATUS_EXAMPLES.accepted },
    },
    202: {
      description: 'Recorded. The decision is to follow.',
      schema: createdSubmission,
      schemaName: 'CreatedSubmission',
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
