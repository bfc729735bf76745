import type { Comparison, Difference } from '@supplier/lib/governance/reconciliation';
import { invalid } from '@supplier/lib/rpc/refusal';
import { type EventId, firstIdAt, parseId } from '@supplier/lib/text/ids';
import type { Context } from '../context.ts';
import {
  FAULTS,
  type ListChanges,
  type ListedChange,
  ownerFaultOf,
  type Span,
  UNEXPLAINED,
} from '../model/reconciliation.ts';
import { type IdRange, listOthers, listOutside, NO_ID, type RecordedEvent } from './explained-events.sql.ts';
import { reconcileChanges, repairNow } from './repair-changes.ts';

/** Events per part whose owners are compared. */
const EVENTS_AT_ONCE = 1_000;
/** Maximum of unexplained events for one page of changes: beyond it, their number matters more than each. */
const MAX_UNEXPLAINED = 5_000;

type Part = Awaited<ReturnType<Comparison>>;

/**
 * Compares events with changes of submissions in both directions and part by part: one page of changes with the events
 * of the same time, and then the owners of all other events with those of their submissions. It repairs a lost change by
 * restating the submission's current status; a late attempt is left to the workers, and an event that nothing explains
 * to staff. Implements docs/contract.md, section 7.
 */
export function compareChanges(context: Context): Comparison {
  return async ({ span, at, repair }) => {
    const [part = '', id, pageToken = ''] = at.split(' ');
    const after = parseId<EventId>(id ?? '');
    if (part === '')
      return comparePage(context, span, { after: firstIdAt(span.since.getTime()), pageToken }, repair);
    if (after && part === 'changes') return comparePage(context, span, { after, pageToken }, repair);
    if (after && part === 'events') return compareOwners(context, span, after);
    throw invalid('resume_token', 'must be the resume_token of an earlier call to this service');
  };
}

/** Where a page of changes begins: after the last change of the page before it. */
interface Place {
  readonly after: EventId;
  readonly pageToken: string;
}

async function comparePage(
  context: Context,
  span: Span,
  { after, pageToken }: Place,
  repair: boolean,
): Promise<Part> {
  const { pool, listChanges } = context;
  const page = await listChanges(span, pageToken);
  const onePage: ListChanges = async () => ({ ...page, next: '' });
  const { checked, exceptions } = await reconcileChanges({ pool, listChanges: onePage }, span);
  const repaired = repair ? await repairNow(context, exceptions) : new Set<EventId>();
  const last = page.changes.at(-1)?.eventId ?? after;
  // The event of the last change is explained, so the range need not contain it.
  const beyond = page.next === '' ? firstIdAt(span.until.getTime()) : last;
  const range = { first: after, beyond };
  const unexplained = await findUnexplained(context, span, pageToken, range, page.changes);
  return {
    compared: checked,
    differences: [
      ...exceptions.map((exception) => ({
        what: exception.fault,
        target: exception.change.submissionId,
        accountId: exception.change.accountId,
        explanation: `${FAULTS[exception.fault]} (event ${exception.change.eventId})`,
        repaired: repaired.has(exception.change.eventId),
      })),
      ...unexplained.map((event) => differenceOf(event, 'unexplained')),
    ],
    next: page.next === '' ? `events ${NO_ID}` : `changes ${last} ${page.next}`,
  };
}

/** Returns the events of a range that no change on a page explains. A change is older than its event. */
async function findUnexplained(
  { pool, listChanges }: Context,
  span: Span,
  pageToken: string,
  range: IdRange,
  listed: readonly ListedChange[],
): Promise<RecordedEvent[]> {
  const idsOf = (changes: readonly ListedChange[]) => changes.map(({ eventId }) => eventId);
  const suspects = await listOthers(pool, range, idsOf(listed), MAX_UNEXPLAINED);
  if (suspects.length === 0) return [];
  // Their changes may have been recorded since the page was read.
  const now = new Set(idsOf((await listChanges(span, pageToken)).changes));
  return suspects.filter(({ eventId }) => !now.has(eventId));
}

/** Compares the owners of the next 1,000 events outside of the span with those of their submissions. */
async function compareOwners(
  { pool, listOwners }: Pick<Context, 'pool' | 'listOwners'>,
  { since, until }: Span,
  after: EventId,
): Promise<Part> {
  const compared = { first: firstIdAt(since.getTime()), beyond: firstIdAt(until.getTime()) };
  const events = await listOutside(pool, compared, after, EVENTS_AT_ONCE);
  const ids = [...new Set(events.map(({ submissionId }) => submissionId))];
  const owners = ids.length > 0 ? await listOwners(ids) : new Map();
  const last = events.length < EVENTS_AT_ONCE ? undefined : events.at(-1);
  return {
    compared: events.length,
    differences: events.flatMap((event) => {
      const fault = ownerFaultOf(event, owners.get(event.submissionId));
      return fault ? [differenceOf(event, fault)] : [];
    }),
    next: last ? `events ${last.eventId}` : '',
  };
}

const differenceOf = (
  { eventId, submissionId, accountId }: RecordedEvent,
  what: keyof typeof UNEXPLAINED,
): Difference => ({
  what,
  target: submissionId,
  accountId,
  explanation: `${UNEXPLAINED[what]} (event ${eventId})`,
  repaired: false,
});
