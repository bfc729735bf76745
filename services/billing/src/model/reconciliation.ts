import type { AccountId, SubmissionId } from '@supplier/lib/text/ids';
import type { BilledState, BillingModel, EntryKind } from './ledger.ts';

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

/** The state of a submission as its supplier sees it. `billableAt` is null once returned. */
export interface ListedState extends BilledState {
  readonly isProduction: boolean;
}

/** Returns the states of at most 1,000 submissions. Throws UNAVAILABLE when the submission service does not respond. */
export type ListBilled = (submissionIds: readonly SubmissionId[]) => Promise<readonly ListedState[]>;

/** Fields of a ledger line that the comparison reads. */
export interface ComparedLine {
  readonly submissionId: SubmissionId;
  readonly accountId: AccountId;
  readonly kind: EntryKind;
  readonly billingModel: BillingModel;
  /** Null for a time that no line can have. */
  readonly occurredAt: Date | null;
  /** Whether it is on the statement of the month in which it occurred, or of the first one after a closed month. */
  readonly isInMonth: boolean;
  /** Null without a price. */
  readonly pence: number | null;
  /** Whether the amount is the price in effect when the submission was charged; both are null without a price. */
  readonly isPriced: boolean;
}

/** Differences between the status that a supplier sees and the ledger. */
export const FAULTS = {
  unexplained: 'the ledger has a line for a submission that does not exist',
  not_charged: 'the submission is billable, but the ledger has no charge for it',
  not_billable: 'the ledger has a charge, but the submission is neither billable nor returned',
  other_account: 'the ledger has a line for this submission on another account',
  other_environment: 'the ledger has a line for a sandbox submission',
  other_model: "the line's billing model differs from the submission's",
  other_amount: "the amount differs from the account's price at the time of the charge",
  invalid_time: 'the time of a line is infinite or outside the years 2020 to 9999',
  other_month: 'a line is on the statement of a month that neither its time nor a closed month explains',
  other_time: 'the time of a line differs from billable_at or returned_at',
  credited: 'the submission is billable, but the ledger has credited it',
  not_credited: 'the submission is returned, but the ledger has a charge without a credit',
  credit_alone: 'the ledger has a credit without a charge',
} as const;

export type Fault = keyof typeof FAULTS;

/**
 * Returns what is wrong with the lines of a submission, at most one charge and one credit; undefined if nothing is. The
 * state is undefined for an unknown submission: then only lines that cancel out are right.
 */
export function faultOf(state: ListedState | undefined, lines: readonly ComparedLine[]): Fault | undefined {
  if (!state) return lines.length === 0 || cancelsOut(lines) ? undefined : 'unexplained';
  const { accountId, billingModel, billableAt, returnedAt } = state;
  const charge = lines.find(({ kind }) => kind === 'charge');
  const credit = lines.find(({ kind }) => kind === 'credit');
  if (lines.some((line) => line.occurredAt === null)) return 'invalid_time';
  if (lines.some((line) => line.accountId !== accountId)) return 'other_account';
  if (lines.length > 0 && !state.isProduction) return cancelsOut(lines) ? undefined : 'other_environment';
  if (credit && !charge) return 'credit_alone';
  if (lines.some((line) => line.billingModel !== billingModel)) return 'other_model';
  if (!charge) return billableAt ? 'not_charged' : undefined;
  if (!billableAt && !credit) return returnedAt ? 'not_credited' : 'not_billable';
  if (billableAt && credit) return 'credited';
  if (lines.some(({ isPriced }) => !isPriced)) return 'other_amount';
  if (lines.some(({ isInMonth }) => !isInMonth)) return 'other_month';
  const differs = (line: ComparedLine | undefined, at: Date | null) =>
    line && at && line.occurredAt?.getTime() !== at.getTime();
  return differs(charge, billableAt) || differs(credit, returnedAt) ? 'other_time' : undefined;
}

/** Returns whether a credit reverses the charge, so that the supplier pays nothing for the submission. */
export function cancelsOut(lines: readonly ComparedLine[]): boolean {
  const [one, other] = lines;
  return (
    one !== undefined &&
    other !== undefined &&
    one.kind !== other.kind &&
    one.accountId === other.accountId &&
    one.pence === other.pence
  );
}

/** Whether a line with the fault would bill something that the submission service does not explain. */
const BLOCKS_CLOSING: Readonly<Record<Fault, boolean>> = {
  unexplained: true,
  not_billable: true,
  other_account: true,
  other_environment: true,
  other_model: true,
  other_amount: true,
  other_month: true,
  invalid_time: true,
  credited: true,
  credit_alone: true,
  // The missing line goes to the first open month.
  not_charged: false,
  not_credited: false,
  // The charge itself is right.
  other_time: false,
};

/** Returns the fault that keeps the month of these lines open; undefined for none. */
export function closingFaultOf(
  state: ListedState | undefined,
  lines: readonly ComparedLine[],
): Fault | undefined {
  const fault = faultOf(state, lines);
  return fault && BLOCKS_CLOSING[fault] && !cancelsOut(lines) ? fault : undefined;
}

/** Returns whether posting the lines of a submission's state repairs a fault. Other faults need a person. */
export function canRepair(fault: Fault): boolean {
  return fault === 'not_charged' || fault === 'not_credited';
}
