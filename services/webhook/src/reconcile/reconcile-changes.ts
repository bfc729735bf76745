import type { Pool } from 'pg';
import {
  type Absent,
  type Fault,
  faultOf,
  type ListChanges,
  type ListedChange,
  type OnRecord,
  type Span,
} from '../model/reconciliation.ts';
import { findOnRecord } from './reconciliation.sql.ts';

export interface Exception {
  readonly fault: Fault;
  readonly change: ListedChange;
}

export interface Reconciliation {
  readonly checked: number;
  readonly exceptions: readonly Exception[];
  /** Exceptions that were counted and not kept. */
  readonly omitted: number;
  /** When the latest change with an event of its own happened. */
  readonly latestOnRecord: Date | undefined;
  /** False when there are more changes than `maxPages` allowed to check. */
  readonly complete: boolean;
}

/** Maximum of exceptions to keep: beyond it, their number matters more than which ones they are. */
const MAX_EXCEPTIONS = 10_000;

/** For a change that was not found on record. */
const NOTHING_FOUND: Absent = { state: 'absent', activeThen: false, covered: false };

/** The inputs of a check; `maxPages` bounds how much is checked. */
export interface ReconciliationParts {
  readonly pool: Pool;
  readonly listChanges: ListChanges;
  readonly maxPages?: number;
}

/**
 * Checks every listed change of a span of time against our records, page by page. Changes nothing. Implements
 * docs/contract.md, section 7.
 */
export async function reconcileChanges(
  { pool, listChanges, maxPages = Number.POSITIVE_INFINITY }: ReconciliationParts,
  span: Span,
): Promise<Reconciliation> {
  const exceptions: Exception[] = [];
  let latestOnRecord: Date | undefined;
  let checked = 0;
  let faults = 0;
  let pageToken = '';
  let pages = 0;

  function check(change: ListedChange, found: OnRecord | Absent, now: Date): void {
    if (found.state !== 'absent' && (!latestOnRecord || change.occurredAt > latestOnRecord))
      latestOnRecord = change.occurredAt;
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
    pageToken = next;
    pages += 1;
  } while (pageToken !== '' && pages < maxPages);
  return {
    checked,
    exceptions,
    omitted: faults - exceptions.length,
    latestOnRecord,
    complete: pageToken === '',
  };
}
