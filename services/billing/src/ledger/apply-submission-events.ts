import type { DomainEvent } from '@supplier/lib/events/event-bus';
import type { EventId } from '@supplier/lib/text/ids';
import { Status } from '@supplier/proto/common/v1/status';
import {
  type SubmissionStatusChanged,
  SubmissionStatusChangedSchema,
} from '@supplier/proto/submission/v1/events';
import type pg from 'pg';
import { type BilledState, linesOf } from '../model/ledger.ts';
import { readBilledState } from '../model/messages.ts';
import { postLines } from '../store/ledger.sql.ts';

export const SUBMISSION_EVENTS = [SubmissionStatusChangedSchema] as const;

/**
 * Posts the ledger lines of a set of events in `tx`, in two statements that share a packet with the commit. Each event
 * carries the full state, so any order and any repetition lead to the same ledger. Throws when an event breaks its
 * contract. Implements docs/contract.md, section 6.
 */
export async function applySubmissionEvents(
  tx: pg.PoolClient,
  events: readonly DomainEvent<SubmissionStatusChanged>[],
): Promise<void> {
  postLines(tx, linesOf(events.map(readEvent)));
}

function readEvent(event: DomainEvent<SubmissionStatusChanged>): BilledState & { readonly eventId: EventId } {
  const { submission, accountId, wasBillableAt } = event.message;
  if (!submission) throw new Error('invalid billing state: submission missing');
  if (submission.submissionId !== event.aggregateId)
    throw new Error('invalid billing state: the event belongs to another submission');
  const returnedAt = submission.status === Status.RETURNED ? submission.return?.returnedAt : undefined;
  if (submission.status === Status.RETURNED && !returnedAt)
    throw new Error('invalid billing state: returned_at missing');
  return { ...readBilledState({ ...submission, accountId, wasBillableAt, returnedAt }), eventId: event.id };
}
