import { waitUntil } from '../../deploy/local/wait-until.ts';
import type { Databases } from './databases.ts';
import type { Findings } from './findings.ts';
import type { SentSubmission } from './load.ts';
import type { Delivery, Receiver } from './receiver.ts';
import { ledgerLines, parkedRows, storedSubmissions, webhookStates } from './stored-submissions.ts';

const POLL_MS = 250;

interface World {
  readonly databases: Databases;
  readonly accountId: string;
  readonly receiver: Receiver;
}

/**
 * Waits until every submission on record is accepted and billed, its supplier has been notified, and no webhook is pending.
 * Resolves to whether that happened within `withinMs`.
 */
export async function allSettled(
  { databases, accountId, receiver }: World,
  withinMs: number,
): Promise<boolean> {
  const settled = await waitUntil(
    async () => {
      const submissions = await storedSubmissions(databases, accountId);
      if (!submissions.every(({ accepted, billable }) => accepted && billable)) return undefined;
      // Submissions that the webhook service hasn't received yet aren't pending there.
      if (withoutNotification(submissions, receiver).length > 0) return undefined;
      // Billing follows the events, like webhooks.
      const ledger = await ledgerLines(databases, accountId);
      if (!submissions.every(({ id }) => ledger.has(id))) return undefined;
      const states = await webhookStates(databases, accountId);
      return [...states.values()].every((state) => state !== 'pending') || undefined;
    },
    { withinMs, everyMs: POLL_MS },
  );
  return settled === true;
}

/**
 * Checks that each submission that its supplier knows of has its expected outcome: it exists under the supplier's id, is
 * accepted, is billed by one ledger line, and was reported as billable. Nothing else may be billed.
 */
export async function checkOutcomes(
  { databases, accountId, receiver }: World,
  sent: readonly SentSubmission[],
  out: Findings,
): Promise<void> {
  const submissions = await storedSubmissions(databases, accountId);
  const byReference = Map.groupBy(submissions, ({ reference }) => reference);
  const count = `${sent.length} leads`;
  const known = sent.filter(({ taken }) => taken);
  out.none(
    'every lead is recorded once, with the id that its supplier received',
    known
      .filter(({ reference, taken }) => {
        const found = byReference.get(reference) ?? [];
        return found.length !== 1 || found[0]?.id !== taken?.submissionId;
      })
      .map(({ reference }) => reference),
    count,
  );
  out.none(
    'every lead is decided',
    submissions.filter(({ accepted }) => !accepted).map(({ id }) => id),
    count,
  );

  const ledger = await ledgerLines(databases, accountId);
  const ids = new Set(submissions.map(({ id }) => id));
  const charges = [...ledger.values()].reduce((sum, submission) => sum + submission.charges, 0);
  out.none(
    'every lead is charged once, and nothing else is charged',
    [
      ...submissions.filter(({ id }) => ledger.get(id)?.charges !== 1 || ledger.get(id)?.credits !== 0),
      ...[...ledger.keys()].filter((id) => !ids.has(id)).map((id) => ({ id })),
    ].map(({ id }) => id),
    `${charges} charges for ${submissions.length} leads`,
  );

  out.none(
    'every supplier is notified that the lead is billable',
    withoutNotification(submissions, receiver),
    `${receiver.deliveries.length} deliveries`,
  );
  out.none('a redelivered event has the same bytes', torn(receiver.deliveries), 'by event id');
  out.none(
    'every delivery is signed with the secret of the endpoint',
    receiver.deliveries.filter(({ verified }) => !verified).map(({ eventId }) => eventId),
    `${receiver.deliveries.length} deliveries`,
  );
  out.none('nothing is parked', await parkedRows(databases), 'events and leads');
}

/** Returns the submissions that no delivery reported as billable. */
function withoutNotification(
  submissions: readonly { readonly id: string }[],
  { deliveries }: Receiver,
): string[] {
  const billable = deliveries.filter(({ billingStatus }) => billingStatus === 'billable');
  const told = new Set(billable.map(({ submissionId }) => submissionId));
  return submissions.filter(({ id }) => !told.has(id)).map(({ id }) => id);
}

function torn(deliveries: readonly Delivery[]): string[] {
  const bodies = Map.groupBy(deliveries, ({ eventId }) => eventId);
  return [...bodies].flatMap(([id, same]) => (new Set(same.map(({ body }) => body)).size > 1 ? [id] : []));
}
