import { create } from '@bufbuild/protobuf';
import type { RequestContext } from '@supplier/lib/runtime/request-context';
import { toTimestamp } from '@supplier/lib/text/time';
import type { Enquiry } from '@supplier/proto/common/v1/enquiry';
import type { Terms } from '@supplier/proto/common/v1/principal';
import { BillingStatus } from '@supplier/proto/common/v1/status';
import {
  StatusChange,
  type SubmissionStatusChanged,
  SubmissionStatusChangedSchema,
} from '@supplier/proto/submission/v1/events';
import { PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import { isHandedOff, type NewJourneyLink } from './journey-link.ts';
import type { Decision } from './policy/decision-policy.ts';
import { toStatusMessage } from './status-message.ts';
import type { Billing, SubmissionState } from './submission.ts';

/**
 * The state of an Application's pre-underwriting. `at` is when it ended or, while pending, when it began to await
 * staff.
 */
export interface PreUnderwriting {
  readonly state: PreUnderwritingState;
  readonly at: Date | null;
  readonly policyVersion: string | null;
  readonly reasons: readonly string[];
  /** Why staff closed it as not cleared, without a return. Internal. */
  readonly closeReason?: string;
}

/**
 * A submission locked by a transaction, with that transaction's changes so far. Transitions are pure: each takes a submission
 * and returns the next one, and `db` saves many submissions in one batch.
 */
export interface LockedSubmission {
  readonly state: SubmissionState;
  /** Pre-underwriting of its Application; null while it has none. */
  readonly preUnderwriting: PreUnderwriting | null;
  readonly terms: Terms;
  /** The request that its events refer to. */
  readonly context: RequestContext | undefined;
  readonly unsaved: Unsaved;
}

/** A submission with the applicant's data, which only decisions can read. */
export interface OpenSubmission extends LockedSubmission {
  readonly enquiry: Enquiry;
}

/** Changes still to be written, in addition to the state. */
export interface Unsaved {
  readonly decision?: Decision;
  /** Whether it was accepted and isn't a sandbox simulation, so that it counts towards the caps of its account. */
  readonly countsForCaps?: boolean;
  /** The snapshot of an Application created by this transaction. */
  readonly snapshot?: Enquiry;
  /** Whether pre-underwriting of an existing Application has changed. */
  readonly assessed?: true;
  readonly links: readonly NewJourneyLink[];
  readonly endsLinks: boolean;
  readonly events: readonly SubmissionEvent[];
}

export const NOTHING_UNSAVED: Unsaved = { links: [], endsLinks: false, events: [] };

export interface SubmissionEvent {
  readonly message: SubmissionStatusChanged;
  readonly aggregateVersion: bigint;
  readonly occurredAt: Date;
  /** `billing` if billing has a line to post, otherwise `status`. */
  readonly facet: 'billing' | 'status';
}

/** Event content in addition to the state. */
interface Notified {
  /** For a submission returned by this change: since when it had been billable. */
  readonly wasBillableAt?: Date | null;
}

/**
 * Adds an event that notifies the supplier of the submission's current state, with the next version of the submission and the
 * time of that state.
 */
export function notifyOf<L extends LockedSubmission>(
  submission: L,
  change: StatusChange,
  { wasBillableAt }: Notified = {},
): L {
  const aggregateVersion = submission.state.version + 1n;
  const state = { ...submission.state, version: aggregateVersion };
  const message = create(SubmissionStatusChangedSchema, {
    accountId: state.accountId,
    submission: toStatusMessage(state),
    change,
    handedOff: isHandedOff(state),
    ...(wasBillableAt ? { wasBillableAt: toTimestamp(wasBillableAt) } : {}),
  });
  const facet = isForLedger(change, state.billing, wasBillableAt) ? 'billing' : 'status';
  const event: SubmissionEvent = { message, aggregateVersion, occurredAt: state.changedAt, facet };
  return {
    ...submission,
    state,
    unsaved: { ...submission.unsaved, events: [...submission.unsaved.events, event] },
  };
}

/** Reports whether billing has a charge or a credit to post. */
function isForLedger(change: StatusChange, billing: Billing, wasBillableAt?: Date | null): boolean {
  if (change === StatusChange.TEST || change === StatusChange.REDELIVERY) return false;
  return billing.status === BillingStatus.BILLABLE || Boolean(wasBillableAt);
}

/** Reports whether pre-underwriting failed by policy and awaits review by staff. */
export function waitsForStaff({ preUnderwriting }: Pick<LockedSubmission, 'preUnderwriting'>): boolean {
  return preUnderwriting?.state === PreUnderwritingState.PENDING && preUnderwriting.at !== null;
}
