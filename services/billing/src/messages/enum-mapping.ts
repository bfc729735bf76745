import { EntryKind } from '@supplier/proto/billing/v1/billing';
import {
  BillingModel,
  BillingStatus,
  Environment,
  NotBillableReason,
} from '@supplier/proto/common/v1/status';
import type * as own from '../domain/billing-decision.ts';

/** The service's own words for the choices of the contract. */
export const ENVIRONMENTS: Readonly<Record<own.Environment, Environment>> = {
  sandbox: Environment.SANDBOX,
  production: Environment.PRODUCTION,
};

export const BILLING_MODELS: Readonly<Record<own.BillingModel, BillingModel>> = {
  accepted_submission: BillingModel.ACCEPTED_SUBMISSION,
  application_created: BillingModel.APPLICATION_CREATED,
  pre_underwriting_cleared: BillingModel.PRE_UNDERWRITING_CLEARED,
};

export const BILLING_STATUSES: Readonly<Record<own.BillingStatus, BillingStatus>> = {
  pending: BillingStatus.PENDING,
  billable: BillingStatus.BILLABLE,
  not_billable: BillingStatus.NOT_BILLABLE,
};

export const NOT_BILLABLE_REASONS: Readonly<Record<own.NotBillableReason, NotBillableReason>> = {
  duplicate: NotBillableReason.DUPLICATE,
  rejected: NotBillableReason.REJECTED,
  sandbox: NotBillableReason.SANDBOX,
  returned: NotBillableReason.RETURNED,
};

export const ENTRY_KINDS: Readonly<Record<own.EntryKind, EntryKind>> = {
  charge: EntryKind.CHARGE,
  credit: EntryKind.CREDIT,
};

/** The service's word for a value of the contract; throws for one that is unset or not known to this version. */
export function wordFor<Word extends string, Choice>(
  words: Readonly<Record<Word, Choice>>,
  choice: Choice,
): Word {
  for (const word in words) {
    if (words[word] === choice) return word;
  }
  throw new Error('the enum value is unset or not known to this version');
}
