import {
  BillingModel,
  BillingStatus,
  Environment,
  NotBillableReason,
  Status,
} from '@supplier/proto/common/v1/status';
import { PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import type { Lead } from './lead.ts';
import type { Billing } from './submission.ts';

/** The billing state of a new submission: the sandbox is never billed. Implements docs/contract.md, section 6. */
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

/** The billing state of a returned lead, whatever it was before. */
export function returnedBilling(environment: Environment, { model }: Billing): Billing {
  return environment === Environment.SANDBOX
    ? notBillable(model, NotBillableReason.SANDBOX)
    : notBillable(model, NotBillableReason.RETURNED);
}

function notBillable(model: BillingModel, notBillableReason: NotBillableReason): Billing {
  return { model, status: BillingStatus.NOT_BILLABLE, billableAt: null, notBillableReason };
}

/**
 * Whether billing should have decided on a lead that it shows as pending, given the event that its billing model waits
 * for.
 */
export function isBillingOverdue({
  state,
  preUnderwriting,
}: Pick<Lead, 'state' | 'preUnderwriting'>): boolean {
  switch (state.status) {
    case Status.REJECTED:
    case Status.DUPLICATE_NOT_ACCEPTED:
      return true;
    case Status.ACCEPTED:
      switch (state.billing.model) {
        case BillingModel.ACCEPTED_SUBMISSION:
          return true;
        case BillingModel.APPLICATION_CREATED:
          return state.application !== null;
        case BillingModel.PRE_UNDERWRITING_CLEARED:
          // Not cleared and still accepted: closed without a return.
          return (
            preUnderwriting?.state === PreUnderwritingState.CLEARED ||
            preUnderwriting?.state === PreUnderwritingState.NOT_CLEARED
          );
        case BillingModel.UNSPECIFIED:
          return false;
        default:
          return state.billing.model satisfies never;
      }
    case Status.RECEIVED:
    case Status.RETURNED:
    case Status.UNSPECIFIED:
      return false;
    default:
      return state.status satisfies never;
  }
}
