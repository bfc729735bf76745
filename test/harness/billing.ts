import { Code, ConnectError } from '@connectrpc/connect';
import { EntryKind, type SubmissionLedger } from '@supplier/proto/billing/v1/billing';
import { ApplicationMinting } from '@supplier/proto/common/v1/principal';
import { BillingModel, BillingStatus } from '@supplier/proto/common/v1/status';
import { type NewAccount, newAccount } from './accounts.ts';
import { delivery, enquiry } from './enquiries.ts';
import { staff } from './rpc.ts';
import type { StatusObject } from './schemas.ts';
import { created, createdBasic, type SupplierApi } from './suppliers.ts';
import { NotYet, waitFor } from './wait.ts';

/** The ledger follows the billing state a moment later. */
const isCharged = ({ billing, entries }: SubmissionLedger): boolean =>
  billing?.billingStatus !== BillingStatus.BILLABLE || entries.length > 0;

/**
 * Returns a submission's billing state and ledger lines once `holds` is true; by default, once a billable one is
 * charged.
 */
export const ledgerOf = (
  submissionId: string,
  holds: (submission: SubmissionLedger) => boolean = isCharged,
): Promise<SubmissionLedger> =>
  waitFor(`the ledger of ${submissionId}`, async () => {
    const submission = await ledgerIfAny(submissionId);
    if (!submission) throw new NotYet('unknown');
    if (!holds(submission))
      throw new NotYet(`its lines are ${chargesAndCredits(submission).join(', ') || 'none'}`);
    return submission;
  });

/** Returns a submission's current billing state and ledger lines, or undefined if the submission is unknown. */
export async function ledgerIfAny(submissionId: string): Promise<SubmissionLedger | undefined> {
  try {
    return await staff.billing().getSubmissionLedger({ submissionId });
  } catch (error) {
    if (error instanceof ConnectError && error.code === Code.NotFound) return undefined;
    throw error;
  }
}

/** Formats the lines of a ledger in order, by kind. */
export const chargesAndCredits = (submission: SubmissionLedger): string[] =>
  submission.entries.map((entry) =>
    entry.kind === EntryKind.CHARGE ? 'charge' : entry.kind === EntryKind.CREDIT ? 'credit' : 'unknown',
  );

/**
 * Returns a submission's lines after a later submission of `api` is charged. Events are applied in order, so none is
 * pending.
 */
export async function linesAfterLaterCharge(api: SupplierApi, submissionId: string): Promise<string[]> {
  const later = await created(api, enquiry());
  await ledgerOf(later.submission_id, ({ entries }) => entries.length > 0);
  return chargesAndCredits(await ledgerOf(submissionId));
}

/** Terms that bill a submission for its Application, which it doesn't have until its supplier promotes it. */
const UNTIL_PROMOTED = {
  billingModel: BillingModel.APPLICATION_CREATED,
  applicationMinting: ApplicationMinting.ON_PROMOTION,
};

/**
 * Creates an accepted production submission whose billing stays pending until it is promoted, and waits until billing has it.
 */
export async function pendingForEver(
  account?: NewAccount,
): Promise<StatusObject & { readonly api: SupplierApi }> {
  const owner = account ?? (await accountThatPromotes());
  const api = await owner.issue({ environment: 'production' });
  const accepted = await createdBasic(api, delivery());
  await ledgerOf(accepted.submission_id);
  return { ...accepted, api };
}

export const accountThatPromotes = (): Promise<NewAccount> => newAccount(UNTIL_PROMOTED);
