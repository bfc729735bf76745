import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { type AccountId, parseId, type SubmissionId } from '@supplier/lib/text/ids';
import { toDate } from '@supplier/lib/text/time';
import { type Billing, BillingStatus, Environment } from '@supplier/proto/common/v1/status';
import { BILLING_MODELS, nameOf } from './enum-mapping.ts';
import type { BilledState } from './ledger.ts';

/** What messages of the submission service state of a submission. */
export interface StatedBilling {
  readonly submissionId: string;
  readonly accountId: string;
  readonly environment: Environment;
  readonly billing?: Billing | undefined;
  readonly wasBillableAt?: Timestamp | undefined;
  readonly returnedAt?: Timestamp | undefined;
}

/** Reads a state; throws when it breaks its contract. Implements docs/contract.md, section 6. */
export function readBilledState(stated: StatedBilling): BilledState {
  const { environment, billing, wasBillableAt, returnedAt } = stated;
  const submissionId = parseId<SubmissionId>(stated.submissionId);
  const accountId = parseId<AccountId>(stated.accountId);
  if (!submissionId || !accountId)
    throw new Error('invalid billing state: submission id or account id missing');
  if (!billing) throw new Error('invalid billing state: billing missing');
  const billableAt = billableSince(billing) ?? (returnedAt && wasBillableAt);
  if (billableAt && environment !== Environment.PRODUCTION)
    throw new Error('invalid billing state: billable outside production');
  return {
    submissionId,
    accountId,
    billingModel: nameOf(BILLING_MODELS, billing.billingModel),
    billableAt: billableAt ? toDate(billableAt) : null,
    returnedAt: returnedAt ? toDate(returnedAt) : null,
  };
}

function billableSince({ billingStatus, billableAt }: Billing): Timestamp | undefined {
  switch (billingStatus) {
    case BillingStatus.BILLABLE:
      if (!billableAt) throw new Error('invalid billing state: billable_at missing');
      return billableAt;
    case BillingStatus.PENDING:
    case BillingStatus.NOT_BILLABLE:
      return undefined;
    case BillingStatus.UNSPECIFIED:
      throw new Error('invalid billing state: billing status unspecified');
  }
}
