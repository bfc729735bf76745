import { Code, ConnectError } from '@connectrpc/connect';
import { EntryKind, type Lead } from '@supplier/proto/billing/v1/billing';
import { ApplicationMinting } from '@supplier/proto/common/v1/principal';
import { BillingModel, BillingStatus } from '@supplier/proto/common/v1/status';
import { type NewAccount, newAccount } from './accounts.ts';
import { delivery, enquiry } from './enquiries.ts';
import { staff } from './rpc.ts';
import type { StatusObject } from './schemas.ts';
import { created, createdBasic, type SupplierApi } from './suppliers.ts';
import { NotYet, waitFor } from './wait.ts';

/** The ledger follows the billing state a moment later. */
const isCharged = ({ billing, entries }: Lead): boolean =>
  billing?.billingStatus !== BillingStatus.BILLABLE || entries.length > 0;

/** The billing state and ledger lines of a submission, once `holds` is true of them; a billable one has its charge. */
export const leadOf = (submissionId: string, holds: (lead: Lead) => boolean = isCharged): Promise<Lead> =>
  waitFor(`the ledger of ${submissionId}`, async () => {
    const lead = await leadIfAny(submissionId);
    if (!lead) throw new NotYet('unknown');
    if (!holds(lead)) throw new NotYet(`its lines are ${chargesAndCredits(lead).join(', ') || 'none'}`);
    return lead;
  });

/** The billing state and ledger lines of a submission now; undefined for an unknown submission. */
export async function leadIfAny(submissionId: string): Promise<Lead | undefined> {
  try {
    return await staff.billing().getLead({ submissionId });
  } catch (error) {
    if (error instanceof ConnectError && error.code === Code.NotFound) return undefined;
    throw error;
  }
}

/** The lines of a ledger in their order, by kind. */
export const chargesAndCredits = (lead: Lead): string[] =>
  lead.entries.map((entry) =>
    entry.kind === EntryKind.CHARGE ? 'charge' : entry.kind === EntryKind.CREDIT ? 'credit' : 'unknown',
  );

/** The lines of a submission once a later one of `api` is charged: events are applied in order, so none is on its way. */
export async function linesAfterLaterCharge(api: SupplierApi, submissionId: string): Promise<string[]> {
  const later = await created(api, enquiry());
  await leadOf(later.submission_id, ({ entries }) => entries.length > 0);
  return chargesAndCredits(await leadOf(submissionId));
}

/** The terms under which a lead is billed for its Application, and has none until its supplier promotes it. */
const UNTIL_PROMOTED = {
  billingModel: BillingModel.APPLICATION_CREATED,
  applicationMinting: ApplicationMinting.ON_PROMOTION,
};

/** An accepted production lead whose billing is pending for as long as nobody promotes it, once billing knows it. */
export async function pendingForEver(
  account?: NewAccount,
): Promise<StatusObject & { readonly api: SupplierApi }> {
  const owner = account ?? (await accountThatPromotes());
  const api = await owner.issue({ environment: 'production' });
  const accepted = await createdBasic(api, delivery());
  await leadOf(accepted.submission_id);
  return { ...accepted, api };
}

export const accountThatPromotes = (): Promise<NewAccount> => newAccount(UNTIL_PROMOTED);
