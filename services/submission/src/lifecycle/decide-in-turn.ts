import type { SubmissionId } from '@supplier/lib/ids';
import { Status } from '@supplier/proto/common/v1/status';
import type { Context } from '../context.ts';
import { countAccepted } from '../db/count-accepted.ts';
import type { Transaction } from '../db/database.ts';
import { findMatch, lockMatchKeys, type Matchable } from '../db/match-candidates.ts';
import type { Decision } from '../domain/decision-policy.ts';
import { simulationOf } from '../domain/sandbox-simulation.ts';
import type { OpenSubmission, SubmissionState } from '../domain/submission.ts';
import { applyDecision } from './apply-decision.ts';

/** Either the decided state, or the earlier submission of the same customer whose turn it is: then nothing changed. */
export type Turn = { readonly decided: SubmissionState } | { readonly earlier: SubmissionId };

/**
 * Decides a submission that this transaction has locked or inserted, unless an earlier one of the same customer is about
 * to be decided. Holds the customer's match keys to the end of the transaction. Implements docs/contract.md, section 5.
 */
export async function decideInTurn(
  context: Context,
  tx: Transaction,
  submission: OpenSubmission,
  keys: Matchable,
): Promise<Turn> {
  await lockMatchKeys(tx, keys);
  const match = await findMatch(tx, keys, context.config.duplicateWindowDays);
  if (match.kind === 'decide-first') return { earlier: match.id };
  const decision =
    simulatedDecision(submission) ??
    (await policyDecision(context, tx, submission, match.kind === 'duplicate'));
  return { decided: await applyDecision(context, tx, submission, decision) };
}

async function policyDecision(
  { clock, decisionPolicy }: Context,
  tx: Transaction,
  submission: OpenSubmission,
  duplicate: boolean,
): Promise<Decision> {
  const { enquiry, terms } = submission;
  const counts = await countAccepted(tx, submission, terms.caps, clock.now());
  return decisionPolicy.decide(enquiry, terms, { duplicate, ...counts });
}

function simulatedDecision({ environment, enquiry }: OpenSubmission): Decision | undefined {
  const simulation = simulationOf(environment, enquiry.businessName);
  if (simulation?.kind !== 'decide' && simulation?.kind !== 'return') return undefined;
  const status = simulation.kind === 'decide' ? simulation.status : Status.ACCEPTED;
  return { status, policyVersion: 'sandbox', rule: 'simulation', reason: 'The business name asks for it.' };
}
