import {
  type BillingModel,
  BillingStatus,
  Environment,
  NotBillableReason,
} from '@supplier/proto/common/v1/status';
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
