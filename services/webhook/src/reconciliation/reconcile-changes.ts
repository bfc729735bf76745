import type { Pool } from 'pg';
import { findOnRecord } from '../db/reconciliation.ts';
import { EVENT_STATES, type EventState } from '../domain/event.ts';
import {
  type Absent,
  type Fault,
  faultOf,
  type ListChanges,
  type ListedChange,
  type OnRecord,
  type Span,
} from '../domain/reconciliation.ts';

export interface Exception {
  readonly fault: Fault;
  readonly change: ListedChange;
}

export interface Reconciliation {
  readonly checked: number;
  /** How many changes have an event in each state. */
  readonly states: Readonly<Record<EventState, number>>;
  readonly exceptions: readonly Exception[];
  /** Exceptions that were counted and not kept. */
  readonly omitted: number;
  /** When the latest of the changes happened that has an event of its own. */
  readonly latestOnRecord: Date | undefined;
  /** False when there are more changes than might be checked. */
  readonly complete: boolean;
}

/** Exceptions that are kept: beyond these, which ones matters less than that there are so many. */
const MAX_EXCEPTIONS = 10_000;

/** No event is known here of a change that was not looked for. */
const NOTHING_FOUND: Absent = { state: 'absent', activeThen: false, covered: false };

/** What checking works with; `maxPages` bounds how much is checked. */
export interface ReconciliationParts {
  readonly pool: Pool;
  readonly listChanges: ListChanges;
  readonly maxPages?: number;
}

/**
 * Checks every change that is listed for a span of time against what is on record here, page by page; `onPage` gets how
 * many are checked. Changes nothing. Implements docs/contract.md, section 7.
 */
export async function reconcileChanges(
  { pool, listChanges, maxPages = Number.POSITIVE_INFINITY }: ReconciliationParts,
  span: Span,
  onPage: (checked: number) => void = () => {},
): Promise<Reconciliation> {
  const states = new Map<EventState, number>(EVENT_STATES.map((state) => [state, 0]));
  const exceptions: Exception[] = [];
  let latestOnRecord: Date | undefined;
  let checked = 0;
  let faults = 0;
  let pageToken = '';
  let pages = 0;

  function check(change: ListedChange, found: OnRecord | Absent, now: Date): void {
    if (found.state !== 'absent') {
      states.set(found.state, (states.get(found.state) ?? 0) + 1);
      if (!latestOnRecord || change.occurredAt > latestOnRecord) latestOnRecord = change.occurredAt;
    }
    const fault = faultOf(change, found, now);
    if (!fault) return;
    faults += 1;
    if (exceptions.length < MAX_EXCEPTIONS) exceptions.push({ fault, change });
  }

  do {
    const { changes, next } = await listChanges(span, pageToken);
    const { now, found } = await findOnRecord(pool, changes);
    for (const change of changes) check(change, found.get(change.eventId) ?? NOTHING_FOUND, now);
    checked += changes.length;
    onPage(checked);
    pageToken = next;
    pages += 1;
  } while (pageToken !== '' && pages < maxPages);
  return {
    checked,
    states: Object.fromEntries(states) as Record<EventState, number>,
    exceptions,
    omitted: faults - exceptions.length,
    latestOnRecord,
    complete: pageToken === '',
  };
}
