import type { Clock } from '@supplier/lib/time';
import type { Database } from '../db/database.ts';
import { findOnRecord } from '../db/find-on-record.ts';
import { EVENT_STATES, type EventState } from '../domain/event-state.ts';
import { type Fault, faultOf, type ToldChange } from '../domain/reconciliation.ts';

/** When the changes that are checked were recorded: from `since` on, before `until`. */
export interface Span {
  readonly since: Date;
  readonly until: Date;
}

/** One page of what the submission service has told; `next` is empty after the last. */
export type ListChanges = (
  span: Span,
  pageToken: string,
) => Promise<{ readonly changes: readonly ToldChange[]; readonly next: string }>;

export interface Exception {
  readonly fault: Fault;
  readonly change: ToldChange;
}

export interface Reconciliation {
  readonly checked: number;
  /** How many changes have an event in each state. */
  readonly states: Readonly<Record<EventState, number>>;
  readonly exceptions: readonly Exception[];
  /** Exceptions that were counted and not kept. */
  readonly omitted: number;
}

/** Exceptions that are kept: beyond these, which ones matters less than that there are so many. */
const MOST_EXCEPTIONS = 10_000;

/**
 * Checks every change that was told in a span of time against what is on record here, page by page; `onPage` hears how
 * many are checked. Changes nothing. Implements docs/contract.md, section 7.
 */
export async function reconcileChanges(
  parts: { readonly db: Database; readonly clock: Clock; readonly listChanges: ListChanges },
  span: Span,
  onPage: (checked: number) => void = () => {},
): Promise<Reconciliation> {
  const states = new Map<EventState, number>(EVENT_STATES.map((state) => [state, 0]));
  const exceptions: Exception[] = [];
  let checked = 0;
  let faults = 0;
  let pageToken = '';
  do {
    const { changes, next } = await parts.listChanges(span, pageToken);
    const found = await findOnRecord(parts.db, changes);
    const now = parts.clock.now();
    for (const change of changes) {
      const record = found.get(change.eventId);
      if (record) states.set(record.state, (states.get(record.state) ?? 0) + 1);
      const fault = faultOf(change, record, now);
      if (!fault) continue;
      faults += 1;
      if (exceptions.length < MOST_EXCEPTIONS) exceptions.push({ fault, change });
    }
    checked += changes.length;
    onPage(checked);
    pageToken = next;
  } while (pageToken !== '');
  return {
    checked,
    states: Object.fromEntries(states) as Record<EventState, number>,
    exceptions,
    omitted: faults - exceptions.length,
  };
}
