import { createHmac } from 'node:crypto';
import { request } from 'undici';
import { asEnvelope, type StatusObject, type WebhookEnvelope } from './schemas.ts';
import { readStack } from './stack.ts';
import type { Environment, SupplierApi } from './suppliers.ts';
import { NotYet, type Patience, waitFor } from './wait.ts';

/** One delivery as the receiver saw it. */
export interface Delivery {
  readonly supplier: string;
  readonly environment: Environment;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly rawBody: string;
  readonly receivedAt: string;
  readonly verified: boolean;
}

export interface ReceivedEvent extends Delivery {
  readonly envelope: WebhookEnvelope;
}

/**
 * Returns all deliveries for a supplier and environment since `since`, in order of arrival, with the schema checked.
 */
export async function deliveriesTo(
  { name, environment }: Pick<SupplierApi, 'name' | 'environment'>,
  since: Date,
): Promise<ReceivedEvent[]> {
  const query = new URLSearchParams({ supplier: name, since: since.toISOString() });
  const answer = await request(`${readStack().receiver.events}?${query}`);
  if (answer.statusCode !== 200) throw new Error(`the receiver returned ${answer.statusCode}`);
  const deliveries = (await answer.body.json()) as Delivery[];
  return deliveries
    .filter((delivery) => delivery.environment === environment)
    .map((delivery) => ({ ...delivery, envelope: asEnvelope(JSON.parse(delivery.rawBody)) }));
}

/** Returns the deliveries about one submission, searching from its `received_at`. */
export async function deliveriesOf(
  api: Pick<SupplierApi, 'name' | 'environment'>,
  submission: Pick<StatusObject, 'submission_id' | 'received_at'>,
): Promise<ReceivedEvent[]> {
  const all = await deliveriesTo(api, new Date(submission.received_at));
  return all.filter((delivery) => delivery.envelope.data.submission_id === submission.submission_id);
}

/** Waits for a delivery about the submission that satisfies `holds`, and returns the first; `what` names it. */
export function delivered(
  api: Pick<SupplierApi, 'name' | 'environment'>,
  submission: Pick<StatusObject, 'submission_id' | 'received_at'>,
  what: string,
  holds: (data: StatusObject) => boolean = () => true,
  patience: Patience = {},
): Promise<ReceivedEvent> {
  return waitFor(
    `a webhook to ${api.name} about ${submission.submission_id} with ${what}`,
    async () => {
      const events = await deliveriesOf(api, submission);
      const found = events.find((event) => holds(event.envelope.data));
      if (!found) throw new NotYet(JSON.stringify(events.map((event) => event.envelope)));
      return found;
    },
    patience,
  );
}

/** Returns whether a delivery is signed with `secret`, computed from only its raw body and headers. */
export function isSignedWith(
  secret: string,
  { headers, rawBody }: Pick<Delivery, 'headers' | 'rawBody'>,
): boolean {
  const timestamp = String(headers['svc-webhook-timestamp']);
  const expected = `v1=${createHmac('sha256', secret).update(`${timestamp}.${rawBody}`).digest('hex')}`;
  return String(headers['svc-webhook-signature'])
    .split(',')
    .some((entry) => entry.trim() === expected);
}

/** Returns the unparsed text of `data` in a raw envelope, for a byte-for-byte comparison. */
export function rawDataOf({ rawBody, envelope }: Pick<ReceivedEvent, 'rawBody' | 'envelope'>): string {
  const parts = [envelope.id, envelope.type, envelope.occurred_at].map((part) => JSON.stringify(part));
  const head = `{"id":${parts[0]},"type":${parts[1]},"occurred_at":${parts[2]},"data":`;
  if (!rawBody.startsWith(head) || !rawBody.endsWith('}'))
    throw new Error(`an envelope with its keys in a different order: ${rawBody}`);
  return rawBody.slice(head.length, -1);
}
