import { toTimestamp } from '@supplier/lib/time';
import type { Enquiry } from '@supplier/proto/common/v1/enquiry';
import { PreUnderwritingFailure } from '@supplier/proto/common/v1/principal';
import { BillingStatus, Level, type ReturnReasonCategory, Status } from '@supplier/proto/common/v1/status';
import {
  ApplicationCreatedSchema,
  LeadRestatedSchema,
  PreUnderwritingCompletedSchema,
  StatusChange,
} from '@supplier/proto/submission/v1/events';
import { PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import { returnedBilling } from './billing.ts';
import type { Decision } from './decision-policy.ts';
import { isHandedOff, type NewJourneyLink } from './journey-link.ts';
import {
  emit,
  type Lead,
  notifyOf,
  type OpenLead,
  type PreUnderwriting,
  progressOf,
  waitsForStaff,
} from './lead.ts';
import { type PreUnderwritingPolicy, preUnderwritingOf } from './pre-underwriting-policy.ts';
import { canBeReturned } from './return-window.ts';
import { simulationOf } from './sandbox-simulation.ts';
import { toStatusMessage } from './status-message.ts';
import { type Billing, type SubmissionState, timeOfChange } from './submission.ts';

/** What transitions need besides the lead, independent of a database. */
export interface TransitionInputs {
  readonly now: Date;
  readonly preUnderwritingPolicy: PreUnderwritingPolicy;
  /** How long a lead can be returned. */
  readonly returnWindowDays: number;
  /** A fresh Application reference. */
  readonly newReference: () => string;
  /** A fresh handoff link, the first of its submission. */
  readonly newHandoff: (state: SubmissionState) => NewJourneyLink;
}

/**
 * Decides a lead that is still `received`. Acceptance at application level also creates the Application and
 * pre-underwrites it; any acceptance that is handed off creates the first handoff link. One event carries all of it; a
 * failed pre-underwriting that returns the lead is a second change, a moment later. Implements docs/contract.md,
 * section 5.
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
    return notifyOf(handed, change);
  const { assessed, failure } = assess(mint(handed, lead.enquiry, at, inputs), lead.enquiry, at, inputs);
  const notified = notifyOf(assessed, change);
  return failure ? returnLead(notified, failure, inputs.now) : notified;
}

/**
 * Gives an accepted basic lead its Application, from what is known about it, and pre-underwrites it. The supplier sees
 * the Application on the next read and in the next webhook; it does not cause a webhook by itself. Implements
 * docs/contract.md, section 5.
 */
export function mintAndAssess(lead: Lead, snapshot: Enquiry, inputs: TransitionInputs): Lead {
  return preUnderwrite(mintOnly(lead, snapshot, inputs), snapshot, inputs);
}

/** The same without pre-underwriting, which follows after a promotion is answered. */
export function mintOnly<L extends Lead>(lead: L, snapshot: Enquiry, inputs: TransitionInputs): L {
  const at = timeOfChange(lead.state, inputs.now);
  const minted = mint({ ...lead, state: { ...lead.state, changedAt: at } }, snapshot, at, inputs);
  const { accountId, environment, billing, application } = minted.state;
  return emit(
    minted,
    ApplicationCreatedSchema,
    {
      accountId,
      environment,
      applicationReference: application?.reference ?? '',
      createdAt: toTimestamp(at),
      billingModel: billing.model,
    },
    at,
  );
}

/**
 * Pre-underwrites an Application for the first time. Failure returns the lead, or leaves it to staff if its terms say
 * so or its return window has passed.
 */
export function preUnderwrite(lead: Lead, snapshot: Enquiry, inputs: TransitionInputs): Lead {
  const at = timeOfChange(lead.state, inputs.now);
  const { assessed, failure } = assess(lead, snapshot, at, inputs);
  const next = waitsForStaff(assessed) ? assessed : announceOutcome(assessed, at);
  return failure ? returnLead(next, failure, inputs.now) : next;
}

/**
 * Ends a pre-underwriting that waited for staff. A lead that they do not clear must be returned in the same
 * transaction, or closed.
 */
export function completePreUnderwriting<L extends Lead>(
  lead: L,
  outcome: PreUnderwritingState.CLEARED | PreUnderwritingState.NOT_CLEARED,
  now: Date,
): L {
  const at = timeOfChange(lead.state, now);
  return announceOutcome(ended(lead, outcome, at), at);
}

/**
 * Ends a pre-underwriting that waited for staff as not cleared, for a lead that can no longer be returned: it stays
 * accepted, and billing learns that it will not be cleared. Implements docs/contract.md, sections 5 and 6.
 */
export function closePreUnderwriting<L extends Lead>(lead: L, reason: string | undefined, now: Date): L {
  const at = timeOfChange(lead.state, now);
  const { preUnderwriting } = ended(lead, PreUnderwritingState.NOT_CLEARED, at);
  if (!preUnderwriting) throw new Error('invariant violated: no pre-underwriting to close');
  return announceOutcome(
    withAssessment(lead, { ...preUnderwriting, ...(reason === undefined ? {} : { closeReason: reason }) }),
    at,
    true,
  );
}

/**
 * Returns an accepted lead. Its billing state changes at the same moment, so that one event carries both; its links and
 * its pre-underwriting end. Implements docs/contract.md, sections 5 and 6.
 */
export function returnLead<L extends Lead>(lead: L, reason: ReturnReasonCategory, now: Date): L {
  const { state, preUnderwriting } = lead;
  const at = timeOfChange(state, now);
  const pending = preUnderwriting?.state === PreUnderwritingState.PENDING;
  const settled = pending ? ended(lead, PreUnderwritingState.NOT_CLEARED, at) : lead;
  return notifyOf(
    {
      ...settled,
      state: {
        ...state,
        status: Status.RETURNED,
        returned: { reason, at },
        billing: returnedBilling(state.environment, state.billing),
        changedAt: at,
      },
      unsaved: { ...settled.unsaved, endsLinks: true },
    },
    StatusChange.RETURNED,
  );
}

/**
 * Takes over billing's decision, once: only a lead whose billing is still pending changes. A returned one has its final
 * state already. Returns undefined when nothing changes. Implements docs/contract.md, section 6.
 */
export function applyBilling<L extends Lead>(
  lead: L,
  decided: Omit<Billing, 'model'>,
  now: Date,
): L | undefined {
  const { state } = lead;
  if (state.billing.status !== BillingStatus.PENDING || state.status === Status.RETURNED) return undefined;
  if (decided.status === BillingStatus.PENDING) return undefined;
  const billing = { model: state.billing.model, ...decided };
  const changedAt = timeOfChange(state, now);
  return notifyOf({ ...lead, state: { ...state, billing, changedAt } }, StatusChange.BILLING_DECIDED);
}

/** Notifies the supplier again of the present state, at a later time than every change before. */
export function restate<L extends Lead>(
  lead: L,
  change: StatusChange.TEST | StatusChange.REDELIVERY | StatusChange.HANDOFF_AVAILABLE,
  now: Date,
): L {
  const changedAt = timeOfChange(lead.state, now);
  return notifyOf({ ...lead, state: { ...lead.state, changedAt } }, change);
}

/** Sends billing all facts of a lead again, in case it missed an event. Changes nothing. */
export function restateToBilling<L extends Lead>(lead: L): L {
  const { state } = lead;
  const submission = toStatusMessage(state);
  return emit(
    lead,
    LeadRestatedSchema,
    { accountId: state.accountId, submission, ...progressOf(lead) },
    state.changedAt,
  );
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
  // The sandbox simulates the outcome whatever the terms say.
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

function announceOutcome<L extends Lead>(lead: L, at: Date, withoutReturn = false): L {
  const { accountId, environment, billing } = lead.state;
  return emit(
    lead,
    PreUnderwritingCompletedSchema,
    {
      accountId,
      environment,
      billingModel: billing.model,
      ...(lead.preUnderwriting ? { state: lead.preUnderwriting.state } : {}),
      completedAt: toTimestamp(at),
      withoutReturn,
    },
    at,
  );
}
