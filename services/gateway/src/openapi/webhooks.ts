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
    summary: 'A submission changed its status',
    description: `Sent to your endpoint when a commercial decision is made, when billing leaves pending, when a lead is returned, and when a handoff link is there for the first time. Changes close together may come as one event with the latest state.

Check the signature over the raw body before anything else, acknowledge duplicates, and keep the event with the latest occurred_at of each submission_id: events can overtake one another.

There are at most 8 attempts in about two and a half hours. Each is signed again; id and body stay the same.`,
    tags: ['webhooks'],
    security: [],
    parameters: [
      header('User-Agent', 'Who is sending.', 'Svc-Webhooks/1'),
      header('Svc-Webhook-Id', 'The id of the event, the same in every attempt.', EVENT_ID),
      header(
        'Svc-Webhook-Timestamp',
        'When this attempt was signed, as a Unix time in seconds. Refuse one that is more than 300 seconds away.',
        '1795167002',
      ),
      header(
        'Svc-Webhook-Signature',
        'One or more entries, separated by commas. One of those that begin with v1= is the hex HMAC-SHA256 of the timestamp, a full stop and the raw body, keyed with your whole whsec_ secret.',
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
      '2XX': { description: 'Received. Anything else, or nothing within 10 seconds, is a failed attempt.' },
    },
  };
}
