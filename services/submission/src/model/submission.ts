import type { AccountId, SubmissionId } from '@supplier/lib/text/ids';
import type { Enquiry } from '@supplier/proto/common/v1/enquiry';
import type { Enrolments, Terms } from '@supplier/proto/common/v1/principal';
import type {
  BillingModel,
  BillingStatus,
  Environment,
  Level,
  NotBillableReason,
  ReturnReasonCategory,
  Status,
} from '@supplier/proto/common/v1/status';

/** The supplier's view of a submission, with the fields needed to change it. */
export interface SubmissionState {
  readonly id: SubmissionId;
  readonly accountId: AccountId;
  readonly environment: Environment;
  readonly externalReference: string;
  readonly level: Level;
  readonly status: Status;
  readonly awaitsStaff: boolean;
  /** Whether it had no match key in production, so that staff decide it unless a correction brings one. */
  readonly unidentified: boolean;
  readonly receivedAt: Date;
  readonly decidedAt: Date | null;
  readonly application: { readonly reference: string; readonly createdAt: Date } | null;
  readonly billing: Billing;
  readonly returned: { readonly reason: ReturnReasonCategory; readonly at: Date } | null;
  /** Enrolments of its account at the time of receipt. */
  readonly enrolments: Enrolments | undefined;
  /** Time of the last change visible to the supplier. */
  readonly changedAt: Date;
  /** Number of domain events so far. */
  readonly version: bigint;
}

export interface Billing {
  readonly model: BillingModel;
  readonly status: BillingStatus;
  readonly billableAt: Date | null;
  readonly notBillableReason: NotBillableReason;
}

/** A submission with the applicant's data, which only decisions and staff can read. */
export interface OpenSubmission extends SubmissionState {
  readonly enquiry: Enquiry;
  readonly terms: Terms;
}

/** Returns the time of a change made now. It is strictly increasing, even when clocks are not. */
export function timeOfChange(state: Pick<SubmissionState, 'changedAt'>, now: Date): Date {
  return new Date(Math.max(now.getTime(), state.changedAt.getTime() + 1));
}

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 10;

/**
 * Returns `APP-` and ten Crockford base32 characters: 50 random bits from `random`, which returns whole numbers below
 * its bound.
 */
export function newApplicationReference(random: (bound: number) => number): string {
  return `APP-${Array.from({ length: LENGTH }, () => CROCKFORD.charAt(random(CROCKFORD.length))).join('')}`;
}
