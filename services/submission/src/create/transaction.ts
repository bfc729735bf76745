import { inOpenedTransaction } from '@supplier/lib/data/postgres';
import type { SubmissionId } from '@supplier/lib/text/ids';
import { Level } from '@supplier/proto/common/v1/status';
import type pg from 'pg';
import type { Context } from '../context.ts';
import { type Arrival, type Arriving, decideByPolicy, receive, transitionInputs } from '../decide/index.ts';
import type { UndecidedLead } from '../model/decide-all.ts';
import { type Lead, NOTHING_UNSAVED, type OpenLead } from '../model/lead.ts';
import type { SubmissionState } from '../model/submission.ts';
import { countAccepted } from '../store/acceptance-counts.sql.ts';
import { findTaken, insertLeads, type NewSubmission } from './insert.sql.ts';

/** A submission to record, with the data for its decision. */
export interface Recording {
  readonly submission: NewSubmission;
  readonly open: Pick<OpenLead, 'enquiry' | 'terms'>;
}

/** Options for recording a group. */
export interface GroupBounds {
  /** The maximum wait for each lock held by another transaction, in milliseconds. */
  readonly lockWaitMs: number;
  /** The levels at which submissions are decided before they are recorded, if a policy decides. */
  readonly decides: ReadonlySet<Level>;
}

/** A new submission as received by the transaction, and its state after the decision in the same transaction. */
interface Recorded {
  readonly submission: NewSubmission;
  readonly received: UndecidedLead;
  readonly lead: Lead;
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
  const submissions = group.map(({ submission }) => submission);
  const bounds = { duplicateWindowDays: config.duplicateWindowDays, lockWaitMs, receiptClock };
  const recorded = await inOpenedTransaction(
    pool,
    (tx) => Promise.all([receive(tx, submissions.map(arriving), bounds), findTaken(tx, submissions)]),
    async (tx, [arrival, taken]) => {
      const fresh = firstOfEachReference(group.filter(({ submission }) => !taken.has(submission.state.id)));
      const received = fresh.map((recording) => receivedLead(recording, arrival.receivedAt));
      const leads = received.map(({ lead }) => lead);
      const decidable = leads.filter(({ state }) => !state.awaitsStaff && decides.has(state.level));
      const decided = await decideOrLeave(context, tx, decidable, arrival);
      const recorded = received.map(
        (one): Recorded => ({ ...one, received: one.lead, lead: decided.get(one.lead.state.id) ?? one.lead }),
      );
      insertLeads(tx, keyRing, recorded);
      return recorded;
    },
  );
  announce(context, recorded);
  const answers = new Map(recorded.map((one) => [one.received.state.id, answerOf(one)]));
  return submissions.map(({ state }) => answers.get(state.id));
}

const arriving = ({ state, hashes }: NewSubmission): Arriving => ({ ...state, ...hashes });

const answerOf = ({ received, lead }: Recorded): SubmissionState =>
  received.state.level === Level.BASIC ? lead.state : received.state;

function receivedLead({ submission, open }: Recording, at: Date) {
  const { context, hashes } = submission;
  const { id, accountId, environment } = submission.state;
  const lead: UndecidedLead = {
    state: { ...submission.state, receivedAt: at, changedAt: at },
    preUnderwriting: null,
    context,
    unsaved: NOTHING_UNSAVED,
    ...open,
    matchable: { id, accountId, environment, receivedAt: at, ...hashes },
  };
  return { submission, lead };
}

/** Keeps the first submission with each reference. */
function firstOfEachReference(group: readonly Recording[]): Recording[] {
  const first = new Map<string, Recording>();
  for (const recording of group) {
    const { accountId, environment, externalReference } = recording.submission.state;
    const reference = `${accountId}/${environment}/${externalReference}`;
    if (!first.has(reference)) first.set(reference, recording);
  }
  return [...first.values()];
}

/** A failing policy must not fail the creates: workers decide one by one and park the lead that causes the failure. */
async function decideOrLeave(
  context: Context,
  tx: pg.PoolClient,
  leads: readonly UndecidedLead[],
  { duplicates, earlier }: Arrival,
): Promise<ReadonlyMap<SubmissionId, Lead>> {
  const { log } = context;
  const inputs = transitionInputs(context);
  const accepted = await countAccepted(tx, leads, inputs.now);
  try {
    const { decided } = decideByPolicy(context, inputs, leads, { duplicates, earlier, accepted });
    return new Map(decided.map((lead) => [lead.state.id, lead]));
  } catch (err) {
    log.warn({ err, count: leads.length }, 'decisions of creates left to the workers');
    return new Map();
  }
}

/** Counts committed submissions and wakes the workers that process them next. */
function announce({ wakes, counts, clock }: Context, recorded: readonly Recorded[]): void {
  for (const { received } of recorded) counts.countReceived(received.state);
  const leads = recorded.map(({ lead }) => lead);
  const decided = leads.filter(({ unsaved }) => unsaved.decision !== undefined);
  counts.countDecided(decided, clock.now());
  if (decided.length > 0) wakes.relay();
  if (decided.some(({ state }) => state.level === Level.BASIC)) wakes.unminted();
  if (leads.some(({ state, unsaved }) => !unsaved.decision && !state.awaitsStaff)) wakes.undecided();
}
