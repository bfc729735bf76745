import { create, type DescMessage, type Message, type MessageInitShape } from '@bufbuild/protobuf';
import type { RequestContext } from '@supplier/lib/request-context';
import { toTimestamp } from '@supplier/lib/time';
import type { Enquiry } from '@supplier/proto/common/v1/enquiry';
import type { Terms } from '@supplier/proto/common/v1/principal';
import {
  type PreUnderwritingProgress,
  PreUnderwritingProgressSchema,
  StatusChange,
  SubmissionStatusChangedSchema,
} from '@supplier/proto/submission/v1/events';
import { PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import type { Decision } from './decision-policy.ts';
import { isHandedOff, type NewJourneyLink } from './journey-link.ts';
import { toStatusMessage } from './status-message.ts';
import type { SubmissionState } from './submission.ts';

/** How pre-underwriting of an Application stands. `at` is when it ended or, while pending, began to wait for staff. */
export interface PreUnderwriting {
  readonly state: PreUnderwritingState;
  readonly at: Date | null;
  readonly policyVersion: string | null;
  readonly reasons: readonly string[];
  /** Why staff close it as not cleared, without a return. Internal. */
  readonly closeReason?: string;
}

/**
 * A submission that a transaction has locked, with the changes of that transaction so far. Transitions are pure: each
 * takes a lead and returns the next one, and `db` saves many leads at once.
 */
export interface Lead {
  readonly state: SubmissionState;
  /** Of its Application; null while there is none. */
  readonly preUnderwriting: PreUnderwriting | null;
  readonly terms: Terms;
  /** The request that its events refer to. */
  readonly context: RequestContext | undefined;
  readonly unsaved: Unsaved;
}

/** A lead with the applicant's data, which only decisions see. */
export interface OpenLead extends Lead {
  readonly enquiry: Enquiry;
}

/** Changes still to be written, besides the state. */
export interface Unsaved {
  readonly decision?: Decision;
  /** The snapshot of an Application that this transaction creates. */
  readonly snapshot?: Enquiry;
  /** Whether pre-underwriting of an existing Application has changed. */
  readonly assessed?: true;
  readonly links: readonly NewJourneyLink[];
  /** Ends the links of the submission that are still unused. */
  readonly endsLinks: boolean;
  readonly events: readonly LeadEvent[];
}

export const NOTHING_UNSAVED: Unsaved = { links: [], endsLinks: false, events: [] };

/** A domain event that goes out with a change. */
export interface LeadEvent {
  readonly schema: DescMessage;
  readonly message: Message;
  readonly aggregateVersion: bigint;
  readonly occurredAt: Date;
  /** Whether billing needs it, or only the supplier's view has changed. */
  readonly facet: 'lead' | 'status';
}

const FACETS: Readonly<Record<StatusChange, LeadEvent['facet']>> = {
  [StatusChange.UNSPECIFIED]: 'status',
  [StatusChange.DECIDED]: 'lead',
  [StatusChange.BILLING_DECIDED]: 'status',
  [StatusChange.RETURNED]: 'lead',
  [StatusChange.HANDOFF_AVAILABLE]: 'lead',
  [StatusChange.TEST]: 'status',
  [StatusChange.REDELIVERY]: 'status',
};

/** Adds the event that notifies the supplier of the lead's state as it now is, at the time of that state. */
export function notifyOf<L extends Lead>(lead: L, change: StatusChange): L {
  const { state } = lead;
  return emit(
    lead,
    SubmissionStatusChangedSchema,
    {
      accountId: state.accountId,
      submission: toStatusMessage(state),
      change,
      handedOff: isHandedOff(state),
      ...progressOf(lead),
    },
    state.changedAt,
    FACETS[change],
  );
}

/** Adds an event, under the next version of the submission. */
export function emit<L extends Lead, Desc extends DescMessage>(
  lead: L,
  schema: Desc,
  message: MessageInitShape<Desc>,
  occurredAt: Date,
  facet: LeadEvent['facet'] = 'lead',
): L {
  const aggregateVersion = lead.state.version + 1n;
  const event: LeadEvent = {
    schema,
    message: create(schema, message),
    aggregateVersion,
    occurredAt,
    facet,
  };
  return {
    ...lead,
    state: { ...lead.state, version: aggregateVersion },
    unsaved: { ...lead.unsaved, events: [...lead.unsaved.events, event] },
  };
}

/** Pre-underwriting as events carry it; nothing while there is no Application. */
export function progressOf({ preUnderwriting }: Pick<Lead, 'preUnderwriting'>): {
  preUnderwriting?: PreUnderwritingProgress;
} {
  if (!preUnderwriting) return {};
  const { state, at } = preUnderwriting;
  const ended = state !== PreUnderwritingState.PENDING && at !== null;
  return {
    preUnderwriting: create(PreUnderwritingProgressSchema, {
      state,
      ...(ended ? { completedAt: toTimestamp(at) } : {}),
    }),
  };
}

/** Whether pre-underwriting has failed by policy and was left to staff. */
export function waitsForStaff({ preUnderwriting }: Pick<Lead, 'preUnderwriting'>): boolean {
  return preUnderwriting?.state === PreUnderwritingState.PENDING && preUnderwriting.at !== null;
}
