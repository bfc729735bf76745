import { create } from '@bufbuild/protobuf';
import { newEvent, type OutboxEvent } from '@supplier/lib/outbox';
import { toTimestamp } from '@supplier/lib/time';
import { BillingChangedSchema } from '@supplier/proto/billing/v1/events';
import { type Billing, BillingSchema } from '@supplier/proto/common/v1/status';
import type { BillingEmission } from '../domain/apply-lead-events.ts';
import type { BillingModel, BillingState } from '../domain/billing-decision.ts';
import { BILLING_MODELS, BILLING_STATUSES, ENVIRONMENTS, NOT_BILLABLE_REASONS } from './enum-mapping.ts';

/** A billing state as the supplier reads it. Implements docs/contract.md, section 6. */
export function billingMessage(model: BillingModel, state: BillingState): Billing {
  return create(BillingSchema, {
    billingModel: BILLING_MODELS[model],
    billingStatus: BILLING_STATUSES[state.billingStatus],
    ...(state.billableAt ? { billableAt: toTimestamp(state.billableAt) } : {}),
    ...(state.notBillableReason ? { notBillableReason: NOT_BILLABLE_REASONS[state.notBillableReason] } : {}),
  });
}

/** The event that says how billing has decided about a lead. */
export function billingChanged({ lead, context }: BillingEmission, occurredAt: Date): OutboxEvent {
  const message = {
    accountId: lead.accountId,
    environment: ENVIRONMENTS[lead.environment],
    billing: billingMessage(lead.billingModel, lead),
  };
  const { submissionId: aggregateId, version: aggregateVersion } = lead;
  return newEvent(BillingChangedSchema, message, { aggregateId, aggregateVersion, occurredAt, context });
}
