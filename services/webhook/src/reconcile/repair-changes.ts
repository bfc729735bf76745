import type { EventId, SubmissionId } from '@supplier/lib/text/ids';
import type { Pool } from 'pg';
import type { Context } from '../context.ts';
import {
  type Absent,
  type Fault,
  faultOf,
  type ListChanges,
  type ListedChange,
  type OnRecord,
  REPAIRED_BY_RESTATING,
  type Span,
} from '../model/reconciliation.ts';
import { findOnRecord } from './reconciliation.sql.ts';
import { findRestated, findRetried, forgetRestated, noteRestated } from './restatements.ts';

export interface Exception {
  readonly fault: Fault;
  readonly change: ListedChange;
}

export interface Reconciliation {
  readonly checked: number;
  readonly exceptions: readonly Exception[];
  /** Exceptions that were counted but not kept. */
  readonly omitted: number;
  /** When the latest change with its own event happened. */
  readonly latestOnRecord: Date | undefined;
  /** False when there are more changes than `maxPages` allows to check. */
  readonly complete: boolean;
}

/** Maximum number of exceptions to keep: beyond it, their number matters more than the individual exceptions. */
const MAX_EXCEPTIONS = 10_000;

/** For a change without a record. */
const NOTHING_FOUND: Absent = { state: 'absent', activeThen: false, covered: false };

/** The inputs of a check; `maxPages` limits how much is checked. */
export interface ReconciliationParts {
  readonly pool: Pool;
  readonly listChanges: ListChanges;
  readonly maxPages?: number;
}

/**
 * Checks every listed change of a period against our records, page by page. Changes nothing. Implements
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

/** How many changes one statement rechecks. */
const PAGE = 1_000;
/** How many submissions one run restates, and how many concurrently. */
const MAX_RESTATED = 200;
const CONCURRENT = 4;
/** A submission is restated at most once in this time; if that does not help, staff must investigate. */
const REST_MS = 6 * 3_600_000;

/**
 * A change without an event may still be in transit, for instance while it awaits publication. Once nothing is in
 * transit, it counts as lost when a change that happened this much later has arrived.
 */
const PASSED_BY_MS = 60_000;
/**
 * Once nothing is in transit, a change this old is lost; otherwise, a change is lost when one this much later has
 * arrived.
 */
const PATIENCE_MS = 3_600_000;

/**
 * Restates the current status of submissions whose changes were lost and not merely late: one event replaces all
 * earlier lost ones of a submission. Resolves to how many were restated, and to whether nothing is left to decide: no
 * change that may still be in transit, and no more submissions than one run restates. Throws when the submission service
 * is unavailable; submissions restated until then stay so. Implements docs/contract.md, section 7.
 */
export async function repairChanges(
  { db, pool, restate, readLag }: Pick<Context, 'db' | 'pool' | 'restate' | 'readLag'>,
  { exceptions, latestOnRecord, omitted }: Reconciliation,
  now: Date,
) {
  const repairable = exceptions.filter(({ fault }) => REPAIRED_BY_RESTATING.has(fault));
  const missing = repairable.filter(({ fault }) => fault === 'missing').map(({ change }) => change.eventId);
  const known = {
    latestOnRecord,
    now,
    isQuiet: missing.length > 0 && (await readLag()) === 0,
    retried: await findRetried(db, missing),
  };
  const lost = repairable.filter((exception) => isLost(exception, known));
  const stillLost = await unrepaired(pool, lost);
  const submissions = [...new Set(stillLost.map(({ change }) => change.submissionId))];
  const resting = await findRestated(db, submissions, new Date(now.getTime() - REST_MS));
  const queue = submissions.filter((submissionId) => !resting.has(submissionId));
  const turn = queue.splice(0, MAX_RESTATED);
  let restated = 0;
  while (turn.length > 0) {
    await Promise.all(
      turn.splice(0, CONCURRENT).map(async (submissionId: SubmissionId) => {
        if (await restate(submissionId, 'redelivery')) restated += 1;
        await noteRestated(db, submissionId, now);
      }),
    );
  }
  await forgetRestated(db, now);
  return { restated, settled: lost.length === repairable.length && queue.length === 0 && omitted === 0 };
}

/**
 * Returns the changes that are still faulty. They were compared before the changes in transit were known: if a change
 * arrived in between, it was late, and if it has not arrived by now, it never will.
 */
async function unrepaired(pool: Context['pool'], lost: readonly Exception[]): Promise<Exception[]> {
  const still: Exception[] = [];
  for (let at = 0; at < lost.length; at += PAGE) {
    const page = lost.slice(at, at + PAGE);
    const { now, found } = await findOnRecord(
      pool,
      page.map(({ change }) => change),
    );
    for (const exception of page) {
      const onRecord = found.get(exception.change.eventId);
      const fault = onRecord && faultOf(exception.change, onRecord, now);
      if (fault && REPAIRED_BY_RESTATING.has(fault)) still.push({ ...exception, fault });
    }
  }
  return still;
}

/**
 * Repairs at the request of staff: immediately, for each submission that lost a change, even if it was restated
 * recently. Skips a change that awaits publication, since a restatement would wait behind it. Resolves to the events
 * whose submissions were restated. Throws when the submission service is unavailable.
 */
export async function repairNow(
  { clock, db, restate }: Pick<Context, 'clock' | 'db' | 'restate'>,
  exceptions: readonly Exception[],
): Promise<ReadonlySet<EventId>> {
  const repairable = exceptions.filter(
    ({ fault, change }) => REPAIRED_BY_RESTATING.has(fault) && !change.unpublished,
  );
  const queue = [...new Set(repairable.map(({ change }) => change.submissionId))];
  const restated = new Set<SubmissionId>();
  while (queue.length > 0)
    await Promise.all(
      queue.splice(0, CONCURRENT).map(async (submissionId) => {
        if (await restate(submissionId, 'redelivery')) restated.add(submissionId);
        await noteRestated(db, submissionId, clock.now());
      }),
    );
  const repaired = repairable.filter(({ change }) => restated.has(change.submissionId));
  return new Set(repaired.map(({ change }) => change.eventId));
}

/** The facts that distinguish a late change from a lost one. */
interface Known {
  readonly latestOnRecord: Date | undefined;
  readonly now: Date;
  /** Whether the consumer has consumed everything published. */
  readonly isQuiet: boolean;
  /** Changes that arrived and are being retried. */
  readonly retried: ReadonlySet<EventId>;
}

function isLost({ fault, change }: Exception, { latestOnRecord, now, isQuiet, retried }: Known): boolean {
  if (fault !== 'missing') return true;
  if (change.unpublished || retried.has(change.eventId)) return false;
  const passedBy = (latestOnRecord?.getTime() ?? 0) - change.occurredAt.getTime();
  if (!isQuiet) return passedBy >= PATIENCE_MS;
  return passedBy >= PASSED_BY_MS || now.getTime() - change.occurredAt.getTime() >= PATIENCE_MS;
}
