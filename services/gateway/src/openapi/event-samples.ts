import type { Example } from './document-types.ts';
import { STATUS_EXAMPLES, SUBMISSION_ID } from './samples.ts';

export const EVENT_ID = '01937f2c-6b94-7f0a-a3de-5c2f18b0e964';

const { justAccepted, accepted, acceptedBasic, acceptedWithHandoff, rejected, duplicate, returned } =
  STATUS_EXAMPLES;
const DECIDED = '2026-11-20T09:30:01.392Z';
const BILLED = '2026-11-20T09:30:01.460Z';
const billed = { ...accepted.value.billing, billable_at: BILLED };

/** Data of a different submission from the one used in most examples. */
const other = <Data extends object>(data: Data, last: string) => ({
  ...data,
  submission_id: `${SUBMISSION_ID.slice(0, -1)}${last}`,
  external_reference: `lead-2026-00041${last}`,
});

const example = (summary: string, last: string, occurred_at: string, data: object): Example => ({
  summary,
  value: { id: `${EVENT_ID.slice(0, -1)}${last}`, type: 'submission.status_changed', occurred_at, data },
});

/** One webhook for each reason to send one. Events of the same submission are in chronological order. */
export const EVENT_EXAMPLES = {
  accepted: example('Accepted; billing is still pending', '4', DECIDED, justAccepted.value),
  billable: example('Billing became billable', '5', BILLED, { ...accepted.value, billing: billed }),
  handoff: example('The customer journey link became available', '6', '2026-11-20T09:30:01.517Z', {
    ...acceptedWithHandoff.value,
    billing: billed,
  }),
  returned: example('Returned', '7', returned.value.return.returned_at, returned.value),
  rejected: example('Rejected', '8', DECIDED, other(rejected.value, '8')),
  duplicate: example('Not accepted because it is a duplicate', '9', DECIDED, other(duplicate.value, '9')),
  basic: example(
    'Accepted at basic level, without an Application yet',
    '0',
    acceptedBasic.value.decided_at,
    other(acceptedBasic.value, '5'),
  ),
  sandbox: example('Accepted in the sandbox, where nothing is billable', '1', DECIDED, {
    ...other(justAccepted.value, '6'),
    environment: 'sandbox',
    billing: {
      ...justAccepted.value.billing,
      billing_status: 'not_billable',
      not_billable_reason: 'sandbox',
    },
  }),
} satisfies Record<string, Example>;
