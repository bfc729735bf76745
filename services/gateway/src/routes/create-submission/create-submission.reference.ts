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
  description: `Sends an enquiry at application level. We record it immediately, and send the commercial decision as a webhook.

You can safely send the same body with the same reference again, any number of times and concurrently. It returns 200 with the current state of the submission. Two bodies are the same if they have the same JSON. The order of keys, white space and the format of numbers do not matter.

If your account has the arrival screen, the response has arrival_screen_url. Redirect the applicant there immediately. A repeated request returns it too, while the link is unused.`,
  body: createSubmissionSchema,
  bodyExamples: (provider) => ({
    least: { summary: 'Required fields only', value: minimal(provider) },
    whole: { summary: 'Every field', value: whole(provider) },
  }),
  answers: {
    200: {
      description: 'The same request was recorded before. Returns the current state of the submission.',
      schema: createdSubmission,
      schemaName: 'CreatedSubmission',
      examples: { replay: STATUS_EXAMPLES.accepted },
    },
    202: {
      description: 'Recorded. The decision follows.',
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
