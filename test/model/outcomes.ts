import { DeliveryState, EventChange } from '@supplier/proto/webhook/v1/webhook';
import { chargesAndCredits, ledgerIfAny } from '../harness/billing.ts';
import { type Arrival, endpointOf } from '../harness/endpoints.ts';
import { scanStatus } from '../harness/scans.ts';
import { documentOf, finalize } from '../harness/uploads.ts';
import { NotYet, waitFor } from '../harness/wait.ts';
import { type Change, type State, submissionAt, supplierAt } from './state.ts';
import { SETTLED, seenOf, type World } from './world.ts';

const SCANNED = { clean: 'clean', infected: 'infected', mistyped: 'scan_failed' };
const CHANGES: Readonly<Partial<Record<EventChange, Change>>> = {
  [EventChange.DECIDED]: 'decided',
  [EventChange.BILLING_DECIDED]: 'billing',
  [EventChange.RETURNED]: 'returned',
  [EventChange.HANDOFF_AVAILABLE]: 'handoff',
  [EventChange.TEST]: 'test',
};

/** Compares what follows the operations of a sequence: webhooks, ledger lines, working contacts and scans. */
export async function compareOutcomes(world: World, state: State): Promise<void> {
  // One after the other, because staff may not have many calls in progress.
  for (const [by, { listens, environment }] of state.suppliers.entries()) {
    const endpoint = endpointOf(world.callers[by]!.api.accountId, environment);
    // A delivery that a disabled endpoint paused ends only after the endpoint is enabled.
    if (!listens) await world.staff.webhook.enableEndpoint(endpoint);
  }
  for (const at of state.submissions.keys()) {
    await compareWebhooks(world, state, at);
    await compareLedger(world, state, at);
    await compareContact(world, state, at);
  }
  await Promise.all(state.documents.map((_, place) => compareScan(world, state, place)));
}

async function compareWebhooks({ staff, sent, arrivals }: World, state: State, at: number): Promise<void> {
  const { events: expected, isErased } = submissionAt(state, at);
  const listed = await waitFor(
    `${expected.length} webhooks of #${at}`,
    async () => {
      const found = (await staff.webhook.listEvents({ submissionId: sent[at]!.id })).events;
      const pending = found.filter((event) => event.state === DeliveryState.PENDING);
      if (found.length < expected.length || pending.length > 0)
        throw new NotYet(`${found.length} with ${pending.length} pending`);
      return found;
    },
    SETTLED,
  );
  // An erasure ends an event whose link is not delivered yet. Another event reports the same status.
  const repeated = new Set(isErased ? listed.map(({ redeliveredAs }) => redeliveredAs) : []);
  const events = listed.filter(({ eventId }) => !repeated.has(eventId));
  const told = events.map(({ change, state: ended }) => [CHANGES[change], ended === DeliveryState.DROPPED]);
  expect([at, told]).toEqual([at, expected.map(({ change, isDropped }) => [change, isDropped])]);
  expect(events.at(-1)?.state).not.toBe(DeliveryState.SUPERSEDED);
  for (const [place, { eventId, state: ended, attempts }] of events.entries()) {
    const received = arrivals().filter(({ envelope }) => envelope.id === eventId);
    // An attempt whose response came too late is repeated.
    expect(received.length).toBeLessThanOrEqual(attempts.length);
    if (ended === DeliveryState.DELIVERED) expect(received).not.toHaveLength(0);
    // It has the link that works when it is recorded, or none.
    for (const arrival of received)
      expect({ ...dataOf(arrival), handoff: null }).toEqual({ ...expected[place]?.view, handoff: null });
  }
}

async function compareScan(world: World, state: State, place: number): Promise<void> {
  const { submission, content, state: stage } = state.documents[place]!;
  const { supplier, isErased } = submissionAt(state, submission);
  const { environment, isSuspended } = supplierAt(state, supplier);
  if (stage !== 'finalized' || isErased || isSuspended) return;
  const { api } = world.callers[supplier]!;
  const document = world.documents[place]!;
  // Production scans only with official signatures, which the stack has not.
  const isScanned = environment === 'sandbox';
  const status = isScanned
    ? await scanStatus(api, document)
    : documentOf(await finalize(api, document)).scan_status;
  expect(status).toBe(isScanned ? SCANNED[content] : 'pending_scan');
}

const dataOf = ({ envelope }: Arrival) => seenOf(envelope.data);

async function compareLedger({ sent }: World, state: State, at: number): Promise<void> {
  const { ledger } = submissionAt(state, at);
  await waitFor(
    `the ledger of #${at} to be ${ledger.join(', ')}`,
    async () => {
      const found = await ledgerIfAny(sent[at]!.id);
      const lines = found ? chargesAndCredits(found) : [];
      if (lines.length < ledger.length) throw new NotYet(lines.join(', '));
      expect(lines).toEqual(ledger);
    },
    SETTLED,
  );
}

async function compareContact(world: World, state: State, at: number): Promise<void> {
  const { level, isErased, contact, revision } = submissionAt(state, at);
  if (level !== 'basic' || isErased) return;
  const read = { submissionId: world.sent[at]!.id, purpose: 'read by the model' };
  const { contact: seen } = await world.staff.submission.readEnquiry(read);
  expect(seen).toMatchObject({
    telephone: world.customers[contact.telephone]?.telephone,
    email: contact.email === null ? '' : world.customers[contact.email]?.email,
    revision: BigInt(revision),
  });
}
