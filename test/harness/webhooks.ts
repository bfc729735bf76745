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

/** Everything the receiver was sent for a supplier and environment since `since`, in order of arrival, schema checked. */
export async function deliveriesTo(
  { name, environment }: Pick<SupplierApi, 'name' | 'environment'>,
  since: Date,
): Promise<ReceivedEvent[]> {
  const query = new URLSearchParams({ supplier: name, since: since.toISOString() });
  const answer = await request(`${readStack().receiver.events}?${query}`);
  if (answer.statusCode !== 200) throw new Error(`the receiver answered ${answer.statusCode}`);
  const deliveries = (await answer.body.json()) as Delivery[];
  return deliveries
    .filter((delivery) => delivery.environment === environment)
    .map((delivery) => ({ ...delivery, envelope: asEnvelope(JSON.parse(delivery.rawBody)) }));
}

/** The deliveries that speak of one submission. Its `received_at` is where the search begins. */
export async function deliveriesOf(
  api: Pick<SupplierApi, 'name' | 'environment'>,
  submission: Pick<StatusObject, 'submission_id' | 'received_at'>,
): Promise<ReceivedEvent[]> {
  const all = await deliveriesTo(api, new Date(submission.received_at));
  return all.filter((delivery) => delivery.envelope.data.submission_id === submission.submission_id);
}

/** Waits for a delivery about the submission that `holds`; `what` names it. Gives back the first such delivery. */
export function delivered(
  api: Pick<SupplierApi, 'name' | 'environment'>,
  submission: Pick<StatusObject, 'submission_id' | 'received_at'>,
  what: string,
  holds: (data: StatusObject) => boolean = () => true,
  patience: Patience = {},
): Promise<ReceivedEvent> {
  return waitFor(
    `a webhook to ${api.name} about ${submission.submission_id} that says ${what}`,
    async () => {
      const events = await deliveriesOf(api, submission);
      const found = events.find((event) => holds(event.envelope.data));
      if (!found) throw new NotYet(JSON.stringify(events.map((event) => event.envelope)));
      return found;
    },
    patience,
  );
}

/** Makes the next `times` deliveries to a supplier's endpoint fail with `status`. */
export async function failNext(supplier: string, status: number, times: number): Promise<void> {
  const answer = await request(readStack().receiver.events, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ supplier, respond: { status, times } }),
  });
  await answer.body.dump();
  if (answer.statusCode >= 300) throw new Error(`the receiver refused the control: ${answer.statusCode}`);
}

/** Whether a delivery is signed with `secret`, worked out from its raw body and headers alone. */
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

/** The text of `data` inside a raw envelope, not parsed, so that it can be compared byte for byte. */
export function rawDataOf({ rawBody, envelope }: Pick<ReceivedEvent, 'rawBody' | 'envelope'>): string {
  const parts = [envelope.id, envelope.type, envelope.occurred_at].map((part) => JSON.stringify(part));
  const head = `{"id":${parts[0]},"type":${parts[1]},"occurred_at":${parts[2]},"data":`;
  if (!rawBody.startsWith(head) || !rawBody.endsWith('}'))
    throw new Error(`an envelope in another order: ${rawBody}`);
  return rawBody.slice(head.length, -1);
}
