import type { SubmissionId } from '@supplier/lib/text/ids';
import type { Caps } from '@supplier/proto/common/v1/principal';
import { Status } from '@supplier/proto/common/v1/status';
import type { LockedSubmission, OpenSubmission } from './locked-submission.ts';
import type { Match } from './match-keys.ts';
import { Customers, isUnidentified, type Matchable } from './matching.ts';
import type { AcceptedCounts, Decision, DecisionPolicy } from './policy/decision-policy.ts';
import { simulationOf } from './sandbox-simulation.ts';
import { decide, leaveToStaff, type TransitionInputs } from './transitions.ts';

/** A lead to decide, with the keys of its customer. */
export interface UndecidedSubmission extends OpenSubmission {
  readonly matchable: Matchable;
  /** The contact checks of its current contact, as stored bits. */
  readonly contactChecks: number;
}

/** Facts from the database about the submissions of one set, read under the locks of their customers and caps. */
export interface DecisionFacts {
  /** Submissions whose customer has already been accepted, with the accepted submission. */
  readonly duplicates: ReadonlyMap<SubmissionId, Match>;
  /** Submissions with an earlier, undecided submission from the same customer outside the set, which is decided first. */
  readonly earlier: ReadonlyMap<SubmissionId, SubmissionId>;
  /** Acceptances of capped accounts, by `capKey`. */
  readonly accepted: ReadonlyMap<string, AcceptedCounts>;
}

export interface DecideAllOptions extends TransitionInputs {
  readonly decisionPolicy: DecisionPolicy;
  readonly duplicateWindowDays: number;
}

export const capKey = ({ accountId, environment }: Pick<Matchable, 'accountId' | 'environment'>) =>
  `${accountId}/${environment}`;

/** Reports whether any cap needs a count. */
export const isCapped = (caps: Caps | undefined) =>
  caps?.acceptedPerDay !== undefined || caps?.acceptedPerMonth !== undefined;

/**
 * Decides submissions in the order received. Each decision affects the next, which it can make a duplicate or put over a cap.
 * Submissions that must wait for an earlier one are left out; those that nothing identifies are left to staff. Pure. Implements docs/contract.md, section 5.
 */
export function decideAll(
  submissions: readonly UndecidedSubmission[],
  facts: DecisionFacts,
  options: DecideAllOptions,
): { decided: LockedSubmission[]; blocked: SubmissionId[] } {
  const accepted = new Customers(options.duplicateWindowDays);
  const waiting = new Customers(options.duplicateWindowDays);
  const counts = new Map(facts.accepted);
  const decided: LockedSubmission[] = [];
  const blocked: SubmissionId[] = [];
  for (const submission of [...submissions].sort(byReceipt)) {
    const { matchable, terms } = submission;
    const { id } = matchable;
    const simulated = simulatedDecision(submission);
    if (isUnidentified(matchable) && !simulated) {
      decided.push(leaveToStaff(submission));
      continue;
    }
    const match = facts.duplicates.get(id) ?? accepted.find(matchable);
    const duplicate = match !== undefined;
    // A duplicate stays a duplicate, whatever the results of the submissions before it.
    if (!duplicate && (facts.earlier.has(id) || waiting.find(matchable) !== undefined)) {
      blocked.push(id);
      waiting.add(matchable);
      continue;
    }
    const key = capKey(matchable);
    const soFar = counts.get(key) ?? { today: 0, thisMonth: 0 };
    const decision = simulated ?? {
      ...options.decisionPolicy.decide(submission.enquiry, terms, {
        duplicate,
        contactChecks: submission.contactChecks,
        acceptedToday: soFar.today,
        acceptedThisMonth: soFar.thisMonth,
      }),
      ...(match && { match }),
      ...(isCapped(terms.caps) && { accepted: soFar }),
    };
    const next = decide(submission, decision, options);
    if (decision.status === Status.ACCEPTED) accepted.add(matchable);
    if (next.unsaved.countsForCaps)
      counts.set(key, { today: soFar.today + 1, thisMonth: soFar.thisMonth + 1 });
    decided.push(next);
  }
  return { decided, blocked };
}

function byReceipt({ matchable: a }: UndecidedSubmission, { matchable: b }: UndecidedSubmission): number {
  return a.receivedAt.getTime() - b.receivedAt.getTime() || (a.id < b.id ? -1 : 1);
}

function simulatedDecision({ state, enquiry }: OpenSubmission): Decision | undefined {
  const simulation = simulationOf(state.environment, enquiry.businessName);
  if (simulation?.kind !== 'decide' && simulation?.kind !== 'return') return undefined;
  const status = simulation.kind === 'decide' ? simulation.status : Status.ACCEPTED;
  return {
    status,
    policyVersion: 'sandbox',
    rule: 'simulation',
    reason: 'The sandbox business name requests it.',
  };
}
