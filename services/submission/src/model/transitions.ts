import type { Enquiry } from '@supplier/proto/common/v1/enquiry';
import { PreUnderwritingFailure } from '@supplier/proto/common/v1/principal';
import { Level, type ReturnReasonCategory, Status } from '@supplier/proto/common/v1/status';
import { StatusChange } from '@supplier/proto/submission/v1/events';
import { PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import { billingOf, closedBilling } from './billing.ts';
import { isHandedOff, type NewJourneyLink } from './journey-link.ts';
import { type Lead, notifyOf, type OpenLead, type PreUnderwriting } from './lead.ts';
import type { Decision } from './policy/decision-policy.ts';
import { type PreUnderwritingPolicy, preUnderwritingOf } from './policy/pre-underwriting-policy.ts';
import { simulationOf } from './sandbox-simulation.ts';
import { type SubmissionState, timeOfChange } from './submission.ts';

/** Inputs of transitions besides the lead, independent of a database. */
export interface TransitionInputs {
  readonly now: Date;
  readonly preUnderwritingPolicy: PreUnderwritingPolicy;
  /** How many days a lead can be returned. */
  readonly returnWindowDays: number;
  /** Generates a new Application reference. */
  readonly newReference: () => string;
  /** Creates the first handoff link of a submission. */
  readonly newHandoff: (state: SubmissionState) => NewJourneyLink;
}

/**
 * Decides a lead that is still `received`. Acceptance at application level also creates the Application and
 * pre-underwrites it; any acceptance that is handed off creates the first handoff link. The billing state changes with
 * it, and one event covers all of it. A failed pre-underwriting that returns the lead is a second change, slightly
 * later. Implements docs/contract.md, sections 5 and 6.
 */
export function decide(lead: OpenLead, decision: Decision, inputs: TransitionInputs): Lead {
  const at = timeOfChange(lead.state, inputs.now);
  const state: SubmissionState = {
    ...lead.state,
    status: decision.status,
    awaitsStaff: false,
    decidedAt: at,
    changedAt: at,
  };
  const decided = { ...lead, state, unsaved: { ...lead.unsaved, decision } };
  const linked = isHandedOff(state);
  const handed = linked ? withLink(decided, inputs.newHandoff(state)) : decided;
  const change = linked ? StatusChange.HANDOFF_AVAILABLE : StatusChange.DECIDED;
  if (decision.status !== Status.ACCEPTED || state.level !== Level.APPLICATION)
    return notifyOf(billed(handed), change);
  const minted = billed(mint(handed, lead.enquiry, at, inputs));
  const { assessed, failure } = assess(minted, lead.enquiry, at, inputs);
  // When a failure returns the lead, the return ends its billing.
  const notified = notifyOf(failure ? assessed : billed(assessed), change);
  return failure ? returnLead(notified, failure, inputs.now) : notified;
}

/**
 * Creates the Application of an accepted basic lead from its known data, and pre-underwrites it. The supplier sees the
 * Application on the next read and in the next webhook; a webhook is sent only if the lead becomes billable. Implements
 * docs/contract.md, sections 5 and 6.
 */
export function mintAndAssess(lead: Lead, snapshot: Enquiry, inputs: TransitionInputs): Lead {
  return preUnderwrite(mintOnly(lead, snapshot, inputs), snapshot, inputs);
}

/** Creates only the Application; pre-underwriting follows after the response to a promotion. */
export function mintOnly<L extends Lead>(lead: L, snapshot: Enquiry, inputs: TransitionInputs): L {
  const at = timeOfChange(lead.state, inputs.now);
  return withBilling(mint({ ...lead, state: { ...lead.state, changedAt: at } }, snapshot, at, inputs), at);
}

/**
 * Pre-underwrites an Application for the first time. A failure returns the lead, or leaves it to staff if its terms say
 * so or its return window has passed.
 */
export function preUnderwrite(lead: Lead, snapshot: Enquiry, inputs: TransitionInputs): Lead {
  const at = timeOfChange(lead.state, inputs.now);
  const { assessed, failure } = assess(lead, snapshot, at, inputs);
  return failure ? returnLead(assessed, failure, inputs.now) : withBilling(assessed, at);
}

/** Clears a pre-underwriting that awaits review by staff. */
export function clearPreUnderwriting<L extends Lead>(lead: L, now: Date): L {
  const at = timeOfChange(lead.state, now);
  return withBilling(ended(lead, PreUnderwritingState.CLEARED, at), at);
}

/**
 * Closes a pre-underwriting that awaits review as not cleared, for a lead that can no longer be returned. The lead
 * stays accepted, and is not billable if its billing model requires clearance. Implements docs/contract.md, sections 5
 * and 6.
 */
export function closePreUnderwriting<L extends Lead>(lead: L, reason: string | undefined, now: Date): L {
  const at = timeOfChange(lead.state, now);
  const { preUnderwriting } = ended(lead, PreUnderwritingState.NOT_CLEARED, at);
  if (!preUnderwriting) throw new Error('invariant violated: no pre-underwriting to close');
  const closed = { ...preUnderwriting, ...(reason === undefined ? {} : { closeReason: reason }) };
  return withBilling(withAssessment(lead, closed), at);
}

/**
 * Returns an accepted lead to its supplier. Its billing state changes in the same transition, so that one event covers
 * both, and its links and pre-underwriting end. Implements docs/contract.md, sections 5 and 6.
 */
export function returnLead<L extends Lead>(lead: L, reason: ReturnReasonCategory, now: Date): L {
  const at = timeOfChange(lead.state, now);
  const pending = lead.preUnderwriting?.state === PreUnderwritingState.PENDING;
  const assessed = pending ? ended(lead, PreUnderwritingState.NOT_CLEARED, at) : lead;
  const state = { ...lead.state, status: Status.RETURNED, returned: { reason, at }, changedAt: at };
  const returned = { ...assessed, state, unsaved: { ...assessed.unsaved, endsLinks: true } };
  return notifyOf(billed(returned), StatusChange.RETURNED, { wasBillableAt: lead.state.billing.billableAt });
}

/**
 * Ends the billing of an accepted lead that will not get an Application. The caller has checked that this is allowed.
 * Implements docs/contract.md, section 6.
 */
export function closeBilling<L extends Lead>(lead: L, now: Date): L {
  const { state } = lead;
  const changed = { ...state, billing: closedBilling(state.billing), changedAt: timeOfChange(state, now) };
  return notifyOf({ ...lead, state: changed }, StatusChange.BILLING_DECIDED);
}

/** Notifies the supplier of the current state again, with a later time than every earlier change. */
export function restate<L extends Lead>(
  lead: L,
  change: StatusChange.TEST | StatusChange.REDELIVERY | StatusChange.HANDOFF_AVAILABLE,
  now: Date,
): L {
  const changedAt = timeOfChange(lead.state, now);
  return notifyOf({ ...lead, state: { ...lead.state, changedAt } }, change);
}

/** Adds a journey link to record with the change. */
export function withLink<L extends Lead>(lead: L, link: NewJourneyLink): L {
  return { ...lead, unsaved: { ...lead.unsaved, links: [...lead.unsaved.links, link] } };
}

function mint<L extends Lead>(lead: L, snapshot: Enquiry, at: Date, { newReference }: TransitionInputs): L {
  return {
    ...lead,
    state: { ...lead.state, application: { reference: newReference(), createdAt: at } },
    preUnderwriting: { state: PreUnderwritingState.PENDING, at: null, policyVersion: null, reasons: [] },
    unsaved: { ...lead.unsaved, snapshot },
  };
}

/** `failure` is the reason to return the lead. */
function assess<L extends Lead>(
  lead: L,
  snapshot: Enquiry,
  at: Date,
  { preUnderwritingPolicy, returnWindowDays, now }: TransitionInputs,
): { assessed: L; failure: ReturnReasonCategory | undefined } {
  const { policyVersion, failure } = preUnderwritingOf(
    preUnderwritingPolicy,
    lead.state.environment,
    snapshot,
  );
  // A sandbox simulation takes precedence over the terms.
  const isPlayed = simulationOf(lead.state.environment, snapshot.businessName)?.kind === 'return';
  const isQueued = lead.terms.preUnderwritingFailure === PreUnderwritingFailure.QUEUE_FOR_STAFF && !isPlayed;
  const forStaff = isQueued || !canBeReturned(lead, now, returnWindowDays);
  const queued = failure && forStaff;
  const state = failure
    ? queued
      ? PreUnderwritingState.PENDING
      : PreUnderwritingState.NOT_CLEARED
    : PreUnderwritingState.CLEARED;
  const reasons = failure ? [failure.rule] : [];
  return {
    assessed: withAssessment(lead, { state, at, policyVersion, reasons }),
    failure: queued ? undefined : failure?.category,
  };
}

function ended<L extends Lead>(lead: L, state: PreUnderwritingState, at: Date): L {
  return lead.preUnderwriting ? withAssessment(lead, { ...lead.preUnderwriting, state, at }) : lead;
}

function withAssessment<L extends Lead>(lead: L, preUnderwriting: PreUnderwriting): L {
  return { ...lead, preUnderwriting, unsaved: { ...lead.unsaved, assessed: true } };
}

/** Returns the lead with the billing state that follows from its facts. */
function billed<L extends Lead>(lead: L): L {
  return { ...lead, state: { ...lead.state, billing: billingOf(lead) } };
}

/** Does the same, and notifies the supplier if the billing state has changed. */
function withBilling<L extends Lead>(lead: L, at: Date): L {
  const next = billed(lead);
  if (next.state.billing === lead.state.billing) return lead;
  return notifyOf({ ...next, state: { ...next.state, changedAt: at } }, StatusChange.BILLING_DECIDED);
}

const DAY_MS = 86_400_000;

/**
 * Reports whether a lead can be returned now: it must be accepted, and within `windowDays` of its decision or of its
 * Application, whichever is later. A lead that staff closed without a return stays closed. Implements docs/contract.md,
 * section 5.
 */
export function canBeReturned(
  { state, preUnderwriting }: Pick<Lead, 'state' | 'preUnderwriting'>,
  now: Date,
  windowDays: number,
): boolean {
  const { status, decidedAt, application } = state;
  if (status !== Status.ACCEPTED || decidedAt === null) return false;
  if (preUnderwriting?.state === PreUnderwritingState.NOT_CLEARED) return false;
  const from = Math.max(decidedAt.getTime(), application?.createdAt.getTime() ?? 0);
  return now.getTime() <= from + windowDays * DAY_MS;
}
