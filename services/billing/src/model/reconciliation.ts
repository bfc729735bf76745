import type { AccountId, SubmissionId } from '@supplier/lib/text/ids';
import type { BilledState, EntryKind } from './ledger.ts';

export interface Span {
  readonly since: Date;
  /** Exclusive. */
  readonly until: Date;
}

/**
 * Lists one page of the submissions that changed in a time span. A submission can appear twice on one page or on
 * several.
 */
export type ListChanged = (
  span: Span,
  pageToken: string,
) => Promise<{ readonly submissionIds: readonly SubmissionId[]; readonly next: string }>;

/** Returns the states of at most 100 submissions as suppliers see them. `billableAt` is null once returned. */
export type ListBilled = (submissionIds: readonly SubmissionId[]) => Promise<readonly BilledState[]>;

/** Fields of a ledger line that the comparison reads. */
export interface ComparedLine {
  readonly accountId: AccountId;
  readonly kind: EntryKind;
  readonly occurredAt: Date;
}

/** Differences between the status that a supplier sees and the ledger. */
export const FAULTS = {
  not_charged: 'the submission is billable, but the ledger has no charge for it',
  other_account: 'the ledger has a line for this submission on another account',
  other_time: 'the time of the charge in the ledger differs from billable_at',
  credited: 'the submission is billable, but the ledger has credited it',
  not_credited: 'the submission is not billable, but the ledger has a charge without a credit',
  credit_alone: 'the ledger has a credit without a charge',
} as const;

export type Fault = keyof typeof FAULTS;

/** Returns what is wrong with the lines of a submission, at most one charge and one credit; undefined if nothing is. */
export function faultOf(
  { accountId, billableAt }: BilledState,
  lines: readonly ComparedLine[],
): Fault | undefined {
  const charge = lines.find(({ kind }) => kind === 'charge');
  const credit = lines.find(({ kind }) => kind === 'credit');
  if (lines.some((line) => line.accountId !== accountId)) return 'other_account';
  if (credit && !charge) return 'credit_alone';
  if (!billableAt) return charge && !credit ? 'not_credited' : undefined;
  if (!charge) return 'not_charged';
  if (credit) return 'credited';
  return charge.occurredAt.getTime() === billableAt.getTime() ? undefined : 'other_time';
}

/** Returns whether posting the lines of a submission's state repairs a fault. Other faults need a person. */
export function canRepair(fault: Fault, { returnedAt }: BilledState): boolean {
  return fault === 'not_charged' || (fault === 'not_credited' && returnedAt !== null);
}
