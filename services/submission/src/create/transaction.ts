import { inOpenedTransaction } from '@supplier/lib/data/postgres';
import type { SubmissionId } from '@supplier/lib/text/ids';
import { Level } from '@supplier/proto/common/v1/status';
import type pg from 'pg';
import type { Context } from '../context.ts';
import { decideByPolicy, decisionInputs, type Receipt, type Receivable, receive } from '../decide/index.ts';
import type { UndecidedSubmission } from '../model/decide-all.ts';
import { type LockedSubmission, NOTHING_UNSAVED, type OpenSubmission } from '../model/locked-submission.ts';
import type { SubmissionState } from '../model/submission.ts';
import { countAccepted } from '../store/acceptance-counts.sql.ts';
import { findTaken, insertSubmissions, type NewSubmission } from './insert.sql.ts';

/** A submission to record, with the data for its decision. */
export interface Recording {
  readonly incoming: NewSubmission;
  readonly open: Pick<OpenSubmission, 'enquiry' | 'terms'>;
}

export interface GroupBounds {
  /** The maximum wait for each lock held by another transaction, in milliseconds. */
  readonly lockWaitMs: number;
  /** The levels at which submissions are decided before they are recorded, if a policy decides. */
  readonly decides: ReadonlySet<Level>;
}

/** A new submission as received by the transaction, and its state after the decision in the same transaction. */
interface Recorded {
  readonly incoming: NewSubmission;
  readonly received: UndecidedSubmission;
  readonly submission: LockedSubmission;
}

/**
 * Records submissions in one transaction. Submissions decided by policy are decided first, so that each is written
 * once, with its Application and its event. If a policy fails, all of them are left to the workers. Resolves to the
 * state to return for each: as received at application level, the current state at basic level, and undefined if the
 * account has already used the reference. Implements docs/contract.md, sections 2 and 5.
 */
export async function recordGroup(
  context: Context,
  { lockWaitMs, decides }: GroupBounds,
  group: readonly Recording[],
): Promise<(SubmissionState | undefined)[]> {
  const { pool, keyRing, receiptClock, config } = context;
  const incoming = group.map((recording) => recording.incoming);
  const bounds = { duplicateWindowDays: config.duplicateWindowDays, lockWaitMs, receiptClock };
  const recorded = await inOpenedTransaction(
    pool,
    (tx) => Promise.all([receive(tx, incoming.map(receivable), bounds), findTaken(tx, incoming)]),
    async (tx, [arrival, taken]) => {
      const fresh = firstOfEachReference(
        group.filter((recording) => !taken.has(recording.incoming.state.id)),
      );
      const received = fresh.map((recording) => receivedSubmission(recording, arrival.receivedAt));
      const submissions = received.map(({ submission }) => submission);
      const decidable = submissions.filter(({ state }) => !state.awaitsStaff && decides.has(state.level));
      const decided = await decideOrLeave(context, tx, decidable, arrival);
      const recorded = received.map(
        (one): Recorded => ({
          ...one,
          received: one.submission,
          submission: decided.get(one.submission.state.id) ?? one.submission,
        }),
      );
      insertSubmissions(tx, keyRing, recorded);
      return recorded;
    },
  );
  notifyWorkers(context, recorded);
  const answers = new Map(recorded.map((one) => [one.received.state.id, answerOf(one)]));
  return incoming.map(({ state }) => answers.get(state.id));
}

const receivable = ({ state, hashes }: NewSubmission): Receivable => ({ ...state, ...hashes });

const answerOf = ({ received, submission }: Recorded): SubmissionState =>
  received.state.level === Level.BASIC ? submission.state : received.state;

function receivedSubmission({ incoming, open }: Recording, at: Date) {
  const { context, hashes, contactChecks } = incoming;
  const { id, accountId, environment } = incoming.state;
  const submission: UndecidedSubmission = {
    state: { ...incoming.state, receivedAt: at, changedAt: at },
    preUnderwriting: null,
    context,
    unsaved: NOTHING_UNSAVED,
    ...open,
    contactChecks,
    matchable: { id, accountId, environment, receivedAt: at, ...hashes },
  };
  return { incoming, submission };
}

/** Keeps the first submission with each reference. */
function firstOfEachReference(group: readonly Recording[]): Recording[] {
  const first = new Map<string, Recording>();
  for (const recording of group) {
    const { accountId, environment, externalReference } = recording.incoming.state;
    const reference = `${accountId}/${environment}/${externalReference}`;
    if (!first.has(reference)) first.set(reference, recording);
  }
  return [...first.values()];
}

/** A failing policy must not fail the creates: workers decide one by one and park the submission that causes the failure. */
async function decideOrLeave(
  context: Context,
  tx: pg.PoolClient,
  submissions: readonly UndecidedSubmission[],
  { duplicates, earlier }: Receipt,
): Promise<ReadonlyMap<SubmissionId, LockedSubmission>> {
  const { log } = context;
  const inputs = decisionInputs(context, submissions);
  const accepted = await countAccepted(tx, submissions, inputs.now);
  try {
    const { decided } = decideByPolicy(context, inputs, submissions, { duplicates, earlier, accepted });
    return new Map(decided.map((submission) => [submission.state.id, submission]));
  } catch (err) {
    log.warn({ err, count: submissions.length }, 'decisions of creates left to the workers');
    return new Map();
  }
}

/** Counts committed submissions and wakes the workers that process them next. */
function notifyWorkers({ wakes, counts, clock }: Context, recorded: readonly Recorded[]): void {
  for (const { received } of recorded) counts.countReceived(received.state);
  const submissions = recorded.map(({ submission }) => submission);
  const decided = submissions.filter(({ unsaved }) => unsaved.decision !== undefined);
  counts.countDecided(decided, clock.now());
  if (decided.length > 0) wakes.relay();
  if (decided.some(({ state }) => state.level === Level.BASIC)) wakes.unminted();
  if (submissions.some(({ state, unsaved }) => !unsaved.decision && !state.awaitsStaff)) wakes.undecided();
}
