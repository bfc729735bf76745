import {
  BillingModel,
  BillingStatus,
  Environment,
  NotBillableReason,
  Status,
} from '@supplier/proto/common/v1/status';
import { PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import type { LockedSubmission } from './locked-submission.ts';
import type { Billing } from './submission.ts';

export type BillingFacts = Pick<LockedSubmission, 'state' | 'preUnderwriting'>;

/**
 * Returns the billing state of a new submission. The sandbox is never billed. Implements docs/contract.md, section 6.
 */
export function initialBilling(environment: Environment, model: BillingModel): Billing {
  return environment === Environment.SANDBOX
    ? notBillable(model, NotBillableReason.SANDBOX)
    : {
        model,
        status: BillingStatus.PENDING,
        billableAt: null,
        notBillableReason: NotBillableReason.UNSPECIFIED,
      };
}

/**
 * Returns the billing state that follows from the facts. Only a pending state changes, except that a return always ends
 * billing. `billableAt` is the time of the fact that the billing model requires. Implements docs/contract.md, section
 * 6.
 */
export function billingOf({ state, preUnderwriting }: BillingFacts): Billing {
  const { billing } = state;
  const isOpen = billing.status === BillingStatus.PENDING;
  switch (state.status) {
    case Status.RETURNED:
      return state.environment === Environment.SANDBOX
        ? billing
        : notBillable(billing.model, NotBillableReason.RETURNED);
    case Status.REJECTED:
      return isOpen ? notBillable(billing.model, NotBillableReason.REJECTED) : billing;
    case Status.DUPLICATE_NOT_ACCEPTED:
      return isOpen ? notBillable(billing.model, NotBillableReason.DUPLICATE) : billing;
    case Status.ACCEPTED:
      return isOpen ? acceptedBilling({ state, preUnderwriting }) : billing;
    case Status.RECEIVED:
    case Status.UNSPECIFIED:
      return billing;
    default:
      return state.status satisfies never;
  }
}

/** Returns when an accepted submission becomes billable, by billing model; null if it is not. */
const BILLABLE_AT: Readonly<Record<BillingModel, (facts: BillingFacts) => Date | null>> = {
  [BillingModel.UNSPECIFIED]: () => null,
  [BillingModel.ACCEPTED_SUBMISSION]: ({ state }) => state.decidedAt,
  [BillingModel.APPLICATION_CREATED]: ({ state }) => state.application?.createdAt ?? null,
  [BillingModel.PRE_UNDERWRITING_CLEARED]: ({ preUnderwriting }) =>
    preUnderwriting?.state === PreUnderwritingState.CLEARED ? preUnderwriting.at : null,
};

function acceptedBilling(facts: BillingFacts): Billing {
  const { billing } = facts.state;
  const { model } = billing;
  const billableAt = BILLABLE_AT[model](facts);
  if (billableAt) {
    const notBillableReason = NotBillableReason.UNSPECIFIED;
    return { model, status: BillingStatus.BILLABLE, billableAt, notBillableReason };
  }
  // Not cleared, and closed without a return, so it will never be cleared.
  const isLost =
    model === BillingModel.PRE_UNDERWRITING_CLEARED &&
    facts.preUnderwriting?.state === PreUnderwritingState.NOT_CLEARED;
  return isLost ? notBillable(model, NotBillableReason.REJECTED) : billing;
}

/**
 * Explains why staff cannot end the billing of a submission; undefined when they can. It must be accepted, without an
 * Application, and its billing pending.
 */
export function closeRefusal({
  status,
  application,
  billing,
}: LockedSubmission['state']): string | undefined {
  if (billing.status !== BillingStatus.PENDING) return 'The billing of this submission is not pending.';
  if (status === Status.RECEIVED) return 'The submission is undecided. Decide it first.';
  if (status !== Status.ACCEPTED) return 'The submission is not accepted.';
  if (application)
    return 'The submission has an Application. Complete its pre-underwriting, with a close reason if it can no longer be returned.';
  return undefined;
}

export const closedBilling = ({ model }: Billing): Billing => notBillable(model, NotBillableReason.REJECTED);

function notBillable(model: BillingModel, notBillableReason: NotBillableReason): Billing {
  return { model, status: BillingStatus.NOT_BILLABLE, billableAt: null, notBillableReason };
}
