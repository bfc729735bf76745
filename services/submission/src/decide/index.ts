import { randomInt } from 'node:crypto';
import { isDependencyUnavailable } from '@supplier/lib/data/dependency';
import { inTransaction } from '@supplier/lib/data/postgres';
import type { SubmissionId } from '@supplier/lib/text/ids';
import { Status } from '@supplier/proto/common/v1/status';
import { JourneyLinkKind } from '@supplier/proto/submission/v1/journey_links';
import type pg from 'pg';
import type { Context } from '../context.ts';
import { type DecisionFacts, decideAll, type UndecidedSubmission } from '../model/decide-all.ts';
import { newJourneyLink } from '../model/journey-link.ts';
import type { LockedSubmission } from '../model/locked-submission.ts';
import { newApplicationReference, type SubmissionState } from '../model/submission.ts';
import type { TransitionInputs } from '../model/transitions.ts';
import { lockSubmission, type SubmissionRow, undecidedSubmissionOf } from '../store/load-submissions.sql.ts';
import { saveSubmissions } from '../store/save-submissions.sql.ts';
import { loadDecisionFacts } from './decision-facts.sql.ts';

export { type Receipt, type Receivable, receive } from './decision-facts.sql.ts';
export { runBatch } from './run-batch.ts';

/** Maximum transactions for one decision. Beyond it, the workers decide. */
const MAX_STEPS = 32;

/** The result of deciding a set of submissions. */
export interface Decided {
  readonly decided: LockedSubmission[];
  /** Submissions left undecided, each with the earlier submission from the same customer that must be decided first. */
  readonly blocked: ReadonlyMap<SubmissionId, SubmissionId | undefined>;
}

const NOTHING_DECIDED: Decided = { decided: [], blocked: new Map() };

/**
 * Decides submissions whose rows this transaction has locked, by policy and in the order received, and saves the results. A
 * submission whose customer has an earlier, undecided submission outside the set is left unchanged: the transaction that has
 * locked that submission decides it first. Implements docs/contract.md, section 5.
 */
export async function decideSubmissions(
  context: Context,
  tx: pg.PoolClient,
  submissions: readonly UndecidedSubmission[],
): Promise<Decided> {
  const inputs = decisionInputs(context, submissions);
  const { duplicateWindowDays } = context.config;
  const facts = await loadDecisionFacts(tx, submissions, { duplicateWindowDays, now: inputs.now });
  const decisions = decideByPolicy(context, inputs, submissions, facts);
  saveSubmissions(tx, context.keyRing, decisions.decided);
  return decisions;
}

/** Decides submissions by the active policies, in the order received. Pure: saves nothing. */
export function decideByPolicy(
  { policies, config }: Context,
  inputs: TransitionInputs,
  submissions: readonly UndecidedSubmission[],
  facts: DecisionFacts,
): Decided {
  const { decided, blocked } = decideAll(submissions, facts, {
    ...inputs,
    decisionPolicy: policies.decision,
    duplicateWindowDays: config.duplicateWindowDays,
  });
  return { decided, blocked: new Map(blocked.map((id) => [id, facts.earlier.get(id)])) };
}

/**
 * Decides one submission now, after the earlier undecided ones from the same customer. Does nothing if it is already
 * decided or awaits staff. If it would take more than 32 steps, the workers decide it in sets.
 */
export async function decideInTurn(context: Context, id: SubmissionId): Promise<void> {
  const waiting = [id];
  for (let step = 0; step <= MAX_STEPS; step += 1) {
    const next = waiting.at(-1);
    if (next === undefined) return context.wakes.relay();
    const { decided, blocked } = await inTransaction(context.pool, async (tx) => {
      const row = await lockSubmission(tx, next);
      if (!row || !isUndecided(row)) return NOTHING_DECIDED;
      return decideSubmissions(context, tx, [undecidedSubmissionOf(context, row)]);
    });
    context.counts.countDecided(decided, context.clock.now());
    const earlier = blocked.get(next);
    if (earlier === undefined) waiting.pop();
    else waiting.push(earlier);
  }
  context.wakes.relay();
  context.wakes.undecided();
}

/**
 * Decides a recorded submission now, after the earlier ones from the same customer unless there are too many, and
 * returns its state. If that fails, for example because one cannot be opened, the workers retry; the submission stays
 * recorded.
 */
export async function decidedInTurn(context: Context, recorded: SubmissionState): Promise<SubmissionState> {
  const { log, wakes, submissions } = context;
  try {
    await decideInTurn(context, recorded.id);
    wakes.unminted();
  } catch (err) {
    if (isDependencyUnavailable(err)) throw err;
    log.warn({ err, submission_id: recorded.id }, 'decision left to the workers');
    wakes.undecided();
  }
  return (await submissions.byId(recorded.id, undefined)) ?? recorded;
}

/** Reports whether a submission awaits a decision by policy. */
export function isUndecided(row: Pick<SubmissionRow, 'status' | 'awaits_staff'>): boolean {
  return row.status === Status.RECEIVED && !row.awaits_staff;
}

type InputsNeeds = Pick<Context, 'clock' | 'config' | 'policies'>;

/** Returns the inputs of decisions. Their time, whose day caps count, is no earlier than any receipt. */
export function decisionInputs(
  context: InputsNeeds,
  submissions: readonly UndecidedSubmission[],
): TransitionInputs {
  const receipts = submissions.map(({ matchable }) => matchable.receivedAt.getTime());
  return transitionInputs(context, new Date(Math.max(context.clock.now().getTime(), ...receipts)));
}

/** Returns the inputs, besides the submission, of a transition that happens now. */
export function transitionInputs(
  { clock, config, policies }: InputsNeeds,
  now = clock.now(),
): TransitionInputs {
  return {
    now,
    preUnderwritingPolicy: policies.preUnderwriting,
    returnWindowDays: config.returnWindowDays,
    newReference: () => newApplicationReference(randomInt),
    newHandoff: ({ id }) =>
      newJourneyLink({
        submissionId: id,
        kind: JourneyLinkKind.HANDOFF,
        number: 1,
        now,
        hours: config.handoffLinkHours,
      }),
  };
}
