import type { SubmissionId } from '@supplier/lib/ids';
import { Status } from '@supplier/proto/common/v1/status';
import type { Context } from '../context.ts';
import { countAccepted } from '../db/count-accepted.ts';
import type { Transaction } from '../db/database.ts';
import type { Submission } from '../db/generated/client.ts';
import { lockSubmission } from '../db/lock-submission.ts';
import { findMatch, lockMatchKeys } from '../db/match-candidates.ts';
import { openSubmission } from '../db/submission-row.ts';
import type { Decision } from '../domain/decision-policy.ts';
import { simulationOf } from '../domain/sandbox-simulation.ts';
import type { OpenSubmission } from '../domain/submission.ts';
import { applyDecision } from './apply-decision.ts';

/** The most earlier submissions of the same customer that are decided on the way to one; more wait for the next try. */
const MAX_EARLIER = 32;

/**
 * Decides a submission by policy. An earlier one of the same customer that is about to be decided is decided first, so
 * that the earliest received wins. Does nothing when the decision is made or is the staff's to make.
 */
export async function decideAutomatically(context: Context, id: SubmissionId): Promise<void> {
  const waiting = [id];
  for (let step = 0; step <= MAX_EARLIER; step += 1) {
    const next = waiting.at(-1);
    if (next === undefined) return;
    const earlier = await context.db.$transaction((tx) => decideUnlessLater(context, tx, next));
    if (earlier === undefined) waiting.pop();
    else waiting.push(earlier);
  }
  throw new Error('too many earlier submissions of the same customer are undecided');
}

/** Decides now, unless an earlier submission comes first: then resolves to its id and has changed nothing. */
async function decideUnlessLater(
  context: Context,
  tx: Transaction,
  id: SubmissionId,
): Promise<SubmissionId | undefined> {
  const row = await lockSubmission(tx, id);
  if (!row || row.status !== Status.RECEIVED || row.awaitsStaff) return undefined;
  await lockMatchKeys(tx, row);
  const match = await findMatch(tx, row, context.config.duplicateWindowDays);
  if (match.kind === 'decide-first') return match.id;
  const submission = openSubmission(row, context.keyRing);
  const decision =
    simulatedDecision(submission) ??
    (await policyDecision(context, tx, row, submission, match.kind === 'duplicate'));
  await applyDecision(context, tx, submission, decision);
  return undefined;
}

async function policyDecision(
  { clock, decisionPolicy }: Context,
  tx: Transaction,
  row: Submission,
  { enquiry, terms }: OpenSubmission,
  duplicate: boolean,
): Promise<Decision> {
  const counts = await countAccepted(tx, row, terms.caps, clock.now());
  return decisionPolicy.decide(enquiry, terms, { duplicate, ...counts });
}

function simulatedDecision({ environment, enquiry }: OpenSubmission): Decision | undefined {
  const simulation = simulationOf(environment, enquiry.businessName);
  if (simulation?.kind !== 'decide' && simulation?.kind !== 'return') return undefined;
  const status = simulation.kind === 'decide' ? simulation.status : Status.ACCEPTED;
  return { status, policyVersion: 'sandbox', rule: 'simulation', reason: 'The business name asks for it.' };
}
