import { webhookEvent } from './answer-schemas.ts';
import type { Components } from './components.ts';
import type { DescribedOperation, Parameter } from './document-types.ts';
import { EVENT_EXAMPLES, EVENT_ID } from './event-samples.ts';

const header = (name: string, description: string, example: string): Parameter => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
});

/** Describes the only event sent to suppliers. Implements docs/contract.md, section 7. */
export function statusChanged(components: Components): DescribedOperation {
  // Also written inline where it is used: a generator for Go drops named schemas that only a webhook references.
  components.schema('WebhookEvent', webhookEvent, 'answer');
  const { WebhookEvent: body = {} } = components.schemas;
  return {
    operationId: 'submissionStatusChanged',
    summary: 'The status of a submission changed',
    description: `Sent to your endpoint when we make a commercial decision, when billing leaves pending, when we return a submission, and when a handoff link first becomes available. Changes close together can arrive as one event with the latest state.

First verify the signature of the raw body. Acknowledge duplicates. Events can arrive out of order: for each submission_id, keep the one with the latest occurred_at.

We make at most 8 attempts in about two and a half hours. Each attempt has a new signature, but the same id and body.`,
    tags: ['webhooks'],
    security: [],
    parameters: [
      header('User-Agent', 'The sender.', 'Svc-Webhooks/1'),
      header('Svc-Webhook-Id', 'The id of the event, the same in every attempt.', EVENT_ID),
      header(
        'Svc-Webhook-Timestamp',
        'When this attempt was signed, as a Unix time in seconds. Reject the event if it differs from your clock by more than 300 seconds.',
        '1795167002',
      ),
      header(
        'Svc-Webhook-Signature',
        'One or more entries, separated by commas. One of the v1= entries must be the hex HMAC-SHA256 of the timestamp, a full stop and the raw body, with your whole whsec_ secret as the key.',
        'v1=5f1d0cde5b4f2f5c1b7e4d5a3a2e6b8f90c4d1e2a7b3968574c3d2e1f0a9b8c7',
      ),
    ],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: body,
          examples: EVENT_EXAMPLES,
        },
      },
    },
    responses: {
      '2XX': { description: 'Received. Any other response, or none within 10 seconds, is a failed attempt.' },
    },
  };
}
