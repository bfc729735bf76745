import type { EventId, SubmissionId } from '@supplier/lib/text/ids';
import type { Context } from '../context.ts';
import { faultOf, MENDED_BY_RESTATING } from '../model/reconciliation.ts';
import type { Exception, Reconciliation } from './reconcile-changes.ts';
import { findOnRecord, findRestated, findRetried, noteRestated } from './reconciliation.sql.ts';

/** How many changes one statement checks again. */
const PAGE = 1_000;
/** How many submissions are restated in one run, and how many of these at once. */
const MAX_RESTATED = 200;
const CONCURRENT = 4;
/** A submission is restated at most once in this time: if that does not help, staff must look at it. */
const REST_MS = 6 * 3_600_000;

/**
 * A change without an event may still be on its way here, for instance while it waits to be published. Once nothing is
 * on its way, it counts as lost when a change that happened this much later has arrived.
 */
const PASSED_BY_MS = 60_000;
/** Once nothing is on its way, a change this old is lost; otherwise, one passed by a change this much later. */
const PATIENCE_MS = 3_600_000;

export interface Mended {
  /** Submissions whose present status was emitted again. */
  readonly restated: number;
  /**
   * Whether there is nothing left to decide: no change that may still be on its way, and no more submissions than one
   * run restates.
   */
  readonly settled: boolean;
}

/**
 * Has the present status of submissions restated whose changes were lost and not merely late: one event makes up for
 * all earlier lost ones of a submission. Throws when the submission service is unavailable; submissions restated by
 * then stay so. Implements docs/contract.md, section 7.
 */
export async function mendChanges(
  { pool, restate, readLag }: Pick<Context, 'pool' | 'restate' | 'readLag'>,
  { exceptions, latestOnRecord, omitted }: Reconciliation,
  now: Date,
): Promise<Mended> {
  const mendable = exceptions.filter(({ fault }) => MENDED_BY_RESTATING.has(fault));
  const missing = mendable.filter(({ fault }) => fault === 'missing').map(({ change }) => change.eventId);
  const known = {
    latestOnRecord,
    now,
    isQuiet: missing.length > 0 && (await readLag()) === 0,
    retried: await findRetried(pool, missing),
  };
  const lost = mendable.filter((exception) => isLost(exception, known));
  const stillLost = await unmended(pool, lost);
  const submissions = [...new Set(stillLost.map(({ change }) => change.submissionId))];
  const resting = await findRestated(pool, submissions, REST_MS);
  const queue = submissions.filter((submissionId) => !resting.has(submissionId));
  const turn = queue.splice(0, MAX_RESTATED);
  let restated = 0;
  while (turn.length > 0) {
    await Promise.all(
      turn.splice(0, CONCURRENT).map(async (submissionId: SubmissionId) => {
        if (await restate(submissionId, 'redelivery')) restated += 1;
        await noteRestated(pool, submissionId);
      }),
    );
  }
  return { restated, settled: lost.length === mendable.length && queue.length === 0 && omitted === 0 };
}

/**
 * Those that are still faulty. They were compared before it was known what is on its way: changes that arrived in
 * between were late, and those that have not arrived by now never will.
 */
async function unmended(pool: Context['pool'], lost: readonly Exception[]): Promise<Exception[]> {
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
      if (fault && MENDED_BY_RESTATING.has(fault)) still.push({ ...exception, fault });
    }
  }
  return still;
}

/**
 * The same at the request of staff: at once, for each submission that lost a change, even if it was restated recently.
 * A change that waits to be published is skipped, since a restatement would wait behind it. Resolves to the events
 * whose submissions were restated. Throws when the submission service is unavailable.
 */
export async function mendAtOnce(
  { pool, restate }: Pick<Context, 'pool' | 'restate'>,
  exceptions: readonly Exception[],
): Promise<ReadonlySet<EventId>> {
  const mendable = exceptions.filter(
    ({ fault, change }) => MENDED_BY_RESTATING.has(fault) && !change.unpublished,
  );
  const queue = [...new Set(mendable.map(({ change }) => change.submissionId))];
  const restated = new Set<SubmissionId>();
  while (queue.length > 0)
    await Promise.all(
      queue.splice(0, CONCURRENT).map(async (submissionId) => {
        if (await restate(submissionId, 'redelivery')) restated.add(submissionId);
        await noteRestated(pool, submissionId);
      }),
    );
  const mended = mendable.filter(({ change }) => restated.has(change.submissionId));
  return new Set(mended.map(({ change }) => change.eventId));
}

/** What distinguishes a late change from a lost one. */
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
