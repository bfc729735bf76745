import type { AccountId, SubmissionId } from '@supplier/lib/ids';
import type { BillingStatus, Environment } from './billing-decision.ts';

/** A span of time. */
export interface Span {
  readonly since: Date;
  /** Exclusive. */
  readonly until: Date;
}

/** A submission as its supplier sees it. */
export interface ShownSubmission {
  readonly submissionId: SubmissionId;
  readonly accountId: AccountId;
  readonly environment: Environment;
  readonly isDecided: boolean;
  readonly billingStatus: BillingStatus;
  readonly billableAt: Date | null;
}

/** A page of the submissions that changed in a span of time; one may be on it twice, and on several pages. */
export type ListChanged = (
  span: Span,
  pageToken: string,
) => Promise<{ readonly submissionIds: readonly SubmissionId[]; readonly next: string }>;

/** At most 100 submissions as their suppliers see them. */
export type ListShown = (submissionIds: readonly SubmissionId[]) => Promise<readonly ShownSubmission[]>;

/** What the ledger has of a submission. */
export interface OnLedger {
  readonly accountId: AccountId;
  readonly billingStatus: BillingStatus;
  readonly billableAt: Date | null;
  readonly charges: number;
  readonly credits: number;
  /** Null without a charge. */
  readonly chargedAt: Date | null;
}

/** What can be wrong between what a supplier is shown and what it is billed, each with the sentence that says so. */
export const FAULTS = {
  unknown_lead: 'it is decided, and billing has no lead for it',
  other_account: 'billing has it for another account',
  not_charged: 'it is shown as billable, and the ledger has no charge',
  charged_twice: 'the ledger has more than one charge or credit',
  credited: 'it is shown as billable, and the ledger has taken the charge back',
  not_credited: 'it is not shown as billable, and the ledger has a charge that nothing takes back',
  credit_alone: 'the ledger takes back a charge that it does not have',
  other_time: 'it is shown as billable from another time than billing has',
  other_status: 'it is shown with another billing status than billing has',
} as const;

export type Fault = keyof typeof FAULTS;

/** What is wrong with a submission, if anything is. A returned one may have been charged for, and is credited then. */
export function faultOf(shown: ShownSubmission, found: OnLedger | undefined): Fault | undefined {
  if (!found) return shown.isDecided ? 'unknown_lead' : undefined;
  const { charges, credits } = found;
  if (found.accountId !== shown.accountId) return 'other_account';
  if (charges > 1 || credits > 1) return 'charged_twice';
  if (credits > charges) return 'credit_alone';
  if (shown.billingStatus === 'billable') {
    if (charges === 0) return 'not_charged';
    if (credits > 0) return 'credited';
    if (found.billableAt?.getTime() !== shown.billableAt?.getTime()) return 'other_time';
  } else if (charges > credits) {
    return 'not_credited';
  }
  return found.billingStatus === shown.billingStatus ? undefined : 'other_status';
}
