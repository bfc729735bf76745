import { field, viewStatus } from '../../../deploy/local/demonstration/status-view.ts';
import type { BillingStatus, SeenStatus, Status } from './evidence.ts';

const STATUSES: readonly string[] = [
  'received',
  'accepted',
  'duplicate_not_accepted',
  'rejected',
  'returned',
];
const BILLING_STATUSES: readonly string[] = ['pending', 'billable', 'not_billable'];

/** Reads a status object. Throws when it isn't one. */
export function seenIn(value: unknown): SeenStatus {
  const { submissionId, status, billingStatus, applicationReference = null } = viewStatus(value);
  const reference = field(value, 'external_reference');
  if (!submissionId || typeof reference !== 'string' || !isStatus(status) || !isBillingStatus(billingStatus))
    throw new Error(`not a status object: ${JSON.stringify(value)}`);
  return { submissionId, reference, status, billing: billingStatus, applicationReference };
}

const isStatus = (value = ''): value is Status => STATUSES.includes(value);
const isBillingStatus = (value = ''): value is BillingStatus => BILLING_STATUSES.includes(value);

/** Returns the status with this number in the protos. */
export function statusAt(number: number): Status {
  const status = STATUSES[number - 1];
  if (!isStatus(status)) throw new Error(`unknown status ${number}`);
  return status;
}

/** Returns the billing status with this number in the protos. */
export function billingStatusAt(number: number): BillingStatus {
  const status = BILLING_STATUSES[number - 1];
  if (!isBillingStatus(status)) throw new Error(`unknown billing status ${number}`);
  return status;
}
