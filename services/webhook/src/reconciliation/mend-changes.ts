import type { EventId, SubmissionId } from '@supplier/lib/ids';
import type { Context } from '../context.ts';
import { findOnRecord, findRestated, findRetried, noteRestated } from '../db/reconciliation.ts';
import { faultOf, MENDED_BY_RESTATING } from '../domain/reconciliation.ts';
import type { Exception, Reconciliation } from './reconcile-changes.ts';

/** How many changes are looked for once more by one statement. */
const PAGE = 1_000;
/** How many submissions are restated in one run, and how many of these at once. */
const MAX_RESTATED = 200;
const CONCURRENT = 4;
/** A submission is restated no more than once in this time: what does not help is for people to look at. */
const REST_MS = 6 * 3_600_000;

/**
 * A change without an event may still be on its way here, as it is while it waits to be published. Once nothing is, it
 * counts as lost when a change that happened this much later has arrived, and, should nothing more happen, when it is
 * this old. While something is, it counts as lost only when a change has arrived that happened this much, the longer
 * time, later.
 */
const PASSED_BY_MS = 60_000;
const PATIENCE_MS = 3_600_000;

export interface Mended {
  /** Submissions whose present status was emitted again. */
  readonly restated: number;
  /** Whether there is nothing left to decide: no change that may still be on its way, nor more than one run restates. */
  readonly settled: boolean;
}

/**
 * Has the present status of submissions restated whose changes were lost, and not merely late: one event covers all that
 * a submission lost before it. Throws when the submission service is unavailable; what was restated by then stays.
 * Implements docs/contract.md, section 7.
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
 * Those that are at fault still. They were compared before it was known what is on its way: what arrived in between was
 * late, and what has not arrived by now never will.
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
 * The same for staff who ask for it: at once, for each submission that lost a change, however lately it was restated. A
 * change that waits to be published is left alone: what is told again would wait behind it.
 * Resolves to the events whose submissions were restated. Throws when the submission service is unavailable.
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

/** What tells a change that is late from one that is lost. */
interface Known {
  readonly latestOnRecord: Date | undefined;
  readonly now: Date;
  /** Whether the consumer has taken all that was published. */
  readonly isQuiet: boolean;
  /** Changes that arrived and are being tried again. */
  readonly retried: ReadonlySet<EventId>;
}

function isLost({ fault, change }: Exception, { latestOnRecord, now, isQuiet, retried }: Known): boolean {
  if (fault !== 'missing') return true;
  if (change.unpublished || retried.has(change.eventId)) return false;
  const passedBy = (latestOnRecord?.getTime() ?? 0) - change.occurredAt.getTime();
  if (!isQuiet) return passedBy >= PATIENCE_MS;
  return passedBy >= PASSED_BY_MS || now.getTime() - change.occurredAt.getTime() >= PATIENCE_MS;
}
