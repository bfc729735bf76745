import type { Enquiry } from '@supplier/proto/common/v1/enquiry';
import { PreUnderwritingFailure } from '@supplier/proto/common/v1/principal';
import { Level, type ReturnReasonCategory, Status } from '@supplier/proto/common/v1/status';
import { StatusChange } from '@supplier/proto/submission/v1/events';
import { PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import { billingOf, closedBilling } from './billing.ts';
import { isHandedOff, type NewJourneyLink } from './journey-link.ts';
import {
  type LockedSubmission,
  notifyOf,
  type OpenSubmission,
  type PreUnderwriting,
} from './locked-submission.ts';
import type { Decision } from './policy/decision-policy.ts';
import { type PreUnderwritingPolicy, preUnderwritingOf } from './policy/pre-underwriting-policy.ts';
import { simulationOf } from './sandbox-simulation.ts';
import { type SubmissionState, timeOfChange } from './submission.ts';

/** Inputs of transitions besides the submission, independent of a database. */
export interface TransitionInputs {
  readonly now: Date;
  readonly preUnderwritingPolicy: PreUnderwritingPolicy;
  readonly returnWindowDays: number;
  readonly newReference: () => string;
  readonly newHandoff: (state: SubmissionState) => NewJourneyLink;
}

/**
 * Decides a submission that is still `received`. Acceptance at application level also creates the Application and
 * pre-underwrites it; any acceptance that is handed off creates the first handoff link. The billing state changes with
 * it, and one event covers all of it. A failed pre-underwriting that returns the submission is a second change, slightly
 * later. Implements docs/contract.md, sections 5 and 6.
 */
export function decide(
  submission: OpenSubmission,
  decision: Decision,
  inputs: TransitionInputs,
): LockedSubmission {
  const at = timeOfChange(submission.state, inputs.now);
  const state: SubmissionState = {
    ...submission.state,
    status: decision.status,
    awaitsStaff: false,
    decidedAt: at,
    changedAt: at,
  };
  const isSimulated = simulationOf(state.environment, submission.enquiry.businessName) !== undefined;
  const countsForCaps = decision.status === Status.ACCEPTED && !isSimulated;
  const decided = { ...submission, state, unsaved: { ...submission.unsaved, decision, countsForCaps } };
  const linked = isHandedOff(state);
  const handed = linked ? withLink(decided, inputs.newHandoff(state)) : decided;
  const change = linked ? StatusChange.HANDOFF_AVAILABLE : StatusChange.DECIDED;
  if (decision.status !== Status.ACCEPTED || state.level !== Level.APPLICATION)
    return notifyOf(billed(handed), change);
  const minted = billed(mint(handed, submission.enquiry, at, inputs));
  const { assessed, failure } = assess(minted, submission.enquiry, at, inputs);
  // When a failure returns the submission, the return ends its billing.
  const notified = notifyOf(failure ? assessed : billed(assessed), change);
  return failure ? returnSubmission(notified, failure, inputs.now) : notified;
}

/** Leaves a submission to staff because nothing in it can be compared. Implements docs/contract.md, section 5. */
export function leaveToStaff(submission: LockedSubmission): LockedSubmission {
  return { ...submission, state: { ...submission.state, awaitsStaff: true, unidentified: true } };
}

/**
 * Creates the Application of an accepted basic submission from its known data, and pre-underwrites it. The supplier sees the
 * Application on the next read and in the next webhook; a webhook is sent only if the submission becomes billable. Implements
 * docs/contract.md, sections 5 and 6.
 */
export function mintAndAssess(
  submission: LockedSubmission,
  snapshot: Enquiry,
  inputs: TransitionInputs,
): LockedSubmission {
  return preUnderwrite(mintOnly(submission, snapshot, inputs), snapshot, inputs);
}

/** Creates only the Application; pre-underwriting follows after the response to a promotion. */
export function mintOnly<L extends LockedSubmission>(
  submission: L,
  snapshot: Enquiry,
  inputs: TransitionInputs,
): L {
  const at = timeOfChange(submission.state, inputs.now);
  return withBilling(
    mint({ ...submission, state: { ...submission.state, changedAt: at } }, snapshot, at, inputs),
    at,
  );
}

/**
 * Pre-underwrites an Application for the first time. A failure returns the submission, or leaves it to staff if its terms say
 * so or its return window has passed.
 */
export function preUnderwrite(
  submission: LockedSubmission,
  snapshot: Enquiry,
  inputs: TransitionInputs,
): LockedSubmission {
  const at = timeOfChange(submission.state, inputs.now);
  const { assessed, failure } = assess(submission, snapshot, at, inputs);
  return failure ? returnSubmission(assessed, failure, inputs.now) : withBilling(assessed, at);
}

/** Clears a pre-underwriting that awaits review by staff. */
export function clearPreUnderwriting<L extends LockedSubmission>(submission: L, now: Date): L {
  const at = timeOfChange(submission.state, now);
  return withBilling(ended(submission, PreUnderwritingState.CLEARED, at), at);
}

/**
 * Closes a pre-underwriting that awaits review as not cleared, for a submission that can no longer be returned. The submission
 * stays accepted, and is not billable if its billing model requires clearance. Implements docs/contract.md, sections 5
 * and 6.
 */
export function closePreUnderwriting<L extends LockedSubmission>(
  submission: L,
  reason: string | undefined,
  now: Date,
): L {
  const at = timeOfChange(submission.state, now);
  const { preUnderwriting } = ended(submission, PreUnderwritingState.NOT_CLEARED, at);
  if (!preUnderwriting) throw new Error('invariant violated: no pre-underwriting to close');
  const closed = { ...preUnderwriting, ...(reason === undefined ? {} : { closeReason: reason }) };
  return withBilling(withAssessment(submission, closed), at);
}

/**
 * Returns an accepted lead to its supplier. Its billing state changes in the same transition, so that one event covers
 * both, and its links and pre-underwriting end. Implements docs/contract.md, sections 5 and 6.
 */
export function returnSubmission<L extends LockedSubmission>(
  submission: L,
  reason: ReturnReasonCategory,
  now: Date,
): L {
  const at = timeOfChange(submission.state, now);
  const pending = submission.preUnderwriting?.state === PreUnderwritingState.PENDING;
  const assessed = pending ? ended(submission, PreUnderwritingState.NOT_CLEARED, at) : submission;
  const state = { ...submission.state, status: Status.RETURNED, returned: { reason, at }, changedAt: at };
  const returned = { ...assessed, state, unsaved: { ...assessed.unsaved, endsLinks: true } };
  return notifyOf(billed(returned), StatusChange.RETURNED, {
    wasBillableAt: submission.state.billing.billableAt,
  });
}

/**
 * Ends the billing of an accepted submission that will not get an Application. The caller has checked that this is allowed.
 * Implements docs/contract.md, section 6.
 */
export function closeBilling<L extends LockedSubmission>(submission: L, now: Date): L {
  const { state } = submission;
  const changed = { ...state, billing: closedBilling(state.billing), changedAt: timeOfChange(state, now) };
  return notifyOf({ ...submission, state: changed }, StatusChange.BILLING_DECIDED);
}

/** Notifies the supplier of the current state again, with a later time than every earlier change. */
export function restate<L extends LockedSubmission>(
  submission: L,
  change: StatusChange.TEST | StatusChange.REDELIVERY | StatusChange.HANDOFF_AVAILABLE,
  now: Date,
): L {
  const changedAt = timeOfChange(submission.state, now);
  return notifyOf({ ...submission, state: { ...submission.state, changedAt } }, change);
}

export function withLink<L extends LockedSubmission>(submission: L, link: NewJourneyLink): L {
  return { ...submission, unsaved: { ...submission.unsaved, links: [...submission.unsaved.links, link] } };
}

function mint<L extends LockedSubmission>(
  submission: L,
  snapshot: Enquiry,
  at: Date,
  { newReference }: TransitionInputs,
): L {
  return {
    ...submission,
    state: { ...submission.state, application: { reference: newReference(), createdAt: at } },
    preUnderwriting: { state: PreUnderwritingState.PENDING, at: null, policyVersion: null, reasons: [] },
    unsaved: { ...submission.unsaved, snapshot },
  };
}

/** `failure` is the reason to return the submission. */
function assess<L extends LockedSubmission>(
  submission: L,
  snapshot: Enquiry,
  at: Date,
  { preUnderwritingPolicy, returnWindowDays, now }: TransitionInputs,
): { assessed: L; failure: ReturnReasonCategory | undefined } {
  const { policyVersion, failure } = preUnderwritingOf(
    preUnderwritingPolicy,
    submission.state.environment,
    snapshot,
  );
  // A sandbox simulation takes precedence over the terms.
  const isSimulated = simulationOf(submission.state.environment, snapshot.businessName)?.kind === 'return';
  const isQueued =
    submission.terms.preUnderwritingFailure === PreUnderwritingFailure.QUEUE_FOR_STAFF && !isSimulated;
  const forStaff = isQueued || !canBeReturned(submission, now, returnWindowDays);
  const queued = failure && forStaff;
  const state = failure
    ? queued
      ? PreUnderwritingState.PENDING
      : PreUnderwritingState.NOT_CLEARED
    : PreUnderwritingState.CLEARED;
  const reasons = failure ? [failure.rule] : [];
  return {
    assessed: withAssessment(submission, { state, at, policyVersion, reasons }),
    failure: queued ? undefined : failure?.category,
  };
}

function ended<L extends LockedSubmission>(submission: L, state: PreUnderwritingState, at: Date): L {
  return submission.preUnderwriting
    ? withAssessment(submission, { ...submission.preUnderwriting, state, at })
    : submission;
}

function withAssessment<L extends LockedSubmission>(submission: L, preUnderwriting: PreUnderwriting): L {
  return { ...submission, preUnderwriting, unsaved: { ...submission.unsaved, assessed: true } };
}

/** Returns the submission with the billing state that follows from its facts. */
function billed<L extends LockedSubmission>(submission: L): L {
  return { ...submission, state: { ...submission.state, billing: billingOf(submission) } };
}

/** Does the same, and notifies the supplier if the billing state has changed. */
function withBilling<L extends LockedSubmission>(submission: L, at: Date): L {
  const next = billed(submission);
  if (next.state.billing === submission.state.billing) return submission;
  return notifyOf({ ...next, state: { ...next.state, changedAt: at } }, StatusChange.BILLING_DECIDED);
}

const DAY_MS = 86_400_000;

/**
 * Reports whether a submission can be returned now: it must be accepted, and within `windowDays` of its decision or of its
 * Application, whichever is later. A submission that staff closed without a return stays closed. Implements docs/contract.md,
 * section 5.
 */
export function canBeReturned(
  { state, preUnderwriting }: Pick<LockedSubmission, 'state' | 'preUnderwriting'>,
  now: Date,
  windowDays: number,
): boolean {
  const { status, decidedAt, application } = state;
  if (status !== Status.ACCEPTED || decidedAt === null) return false;
  if (preUnderwriting?.state === PreUnderwritingState.NOT_CLEARED) return false;
  const from = Math.max(decidedAt.getTime(), application?.createdAt.getTime() ?? 0);
  return now.getTime() <= from + windowDays * DAY_MS;
}
