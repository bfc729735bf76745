import { EntryKind } from '@supplier/proto/billing/v1/billing';
import { BillingModel } from '@supplier/proto/common/v1/status';
import type * as own from './ledger.ts';

// The service's own names of enum values, as its domain and database have them, and the values of the contract.

export const BILLING_MODELS: Readonly<Record<own.BillingModel, BillingModel>> = {
  accepted_submission: BillingModel.ACCEPTED_SUBMISSION,
  application_created: BillingModel.APPLICATION_CREATED,
  pre_underwriting_cleared: BillingModel.PRE_UNDERWRITING_CLEARED,
};

export const ENTRY_KINDS: Readonly<Record<own.EntryKind, EntryKind>> = {
  charge: EntryKind.CHARGE,
  credit: EntryKind.CREDIT,
};

/** The service's name of an enum value of the contract; throws for one that is unset or not known to this version. */
export function nameOf<Name extends string, Value>(
  mapping: Readonly<Record<Name, Value>>,
  value: Value,
): Name {
  for (const name in mapping) {
    if (mapping[name] === value) return name;
  }
  throw new Error('the enum value is unset or not known to this version');
}
