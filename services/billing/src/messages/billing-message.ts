import { create } from '@bufbuild/protobuf';
import { toTimestamp } from '@supplier/lib/time';
import { type Billing, BillingSchema } from '@supplier/proto/common/v1/status';
import type { BillingModel, BillingState } from '../domain/billing-decision.ts';
import { BILLING_MODELS, BILLING_STATUSES, NOT_BILLABLE_REASONS } from './words.ts';

/** A billing state as the supplier reads it. Implements docs/contract.md, section 6. */
export function billingMessage(model: BillingModel, state: BillingState): Billing {
  return create(BillingSchema, {
    billingModel: BILLING_MODELS[model],
    billingStatus: BILLING_STATUSES[state.billingStatus],
    ...(state.billableAt ? { billableAt: toTimestamp(state.billableAt) } : {}),
    ...(state.notBillableReason ? { notBillableReason: NOT_BILLABLE_REASONS[state.notBillableReason] } : {}),
  });
}
