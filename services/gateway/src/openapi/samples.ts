import type { Example } from './document-types.ts';

export const SUBMISSION_ID = '01937f2c-6a10-7c4e-9b1d-3f5a8e2c7d40';
export const DOCUMENT_ID = '01937f31-0d52-7a18-8c66-91b4e07f2ad5';
export const EXTERNAL_REFERENCE = 'lead-2026-000417';
export const APPLICATION_REFERENCE = 'APP-7K3M9QX2TB';

const received = {
  environment: 'production',
  submission_id: SUBMISSION_ID,
  external_reference: EXTERNAL_REFERENCE,
  level: 'application',
  status: 'received',
  received_at: '2026-11-20T09:30:01.204Z',
  decided_at: null,
  application_reference: null,
  application_created_at: null,
  billing: {
    billing_status: 'pending',
    billable_at: null,
    billing_model: 'accepted_submission',
    not_billable_reason: null,
  },
};
const decided = { decided_at: '2026-11-20T09:30:01.392Z' };
const application = {
  application_reference: APPLICATION_REFERENCE,
  application_created_at: '2026-11-20T09:30:01.392Z',
};
const billed = { ...received.billing, billing_status: 'billable', billable_at: decided.decided_at };
const unbilled = (not_billable_reason: string) => ({
  ...received.billing,
  billing_status: 'not_billable',
  not_billable_reason,
});
const accepted = { ...received, ...decided, ...application, status: 'accepted', billing: billed };

/** Status objects in the states used by the examples. */
export const STATUS_EXAMPLES = {
  received: { summary: 'Recorded, awaiting a decision', value: received },
  receivedWithArrivalScreen: {
    summary: 'Recorded, for an account with the arrival screen',
    value: {
      ...received,
      arrival_screen_url:
        'https://pages.supplier.example/journey/6vQ1xw3oJr0mB8ZkT4cYdA2fHs7NpLqWgXeRuVtKiO5',
    },
  },
  sandbox: {
    summary: 'Recorded in the sandbox, where nothing is billable',
    value: { ...received, environment: 'sandbox', billing: unbilled('sandbox') },
  },
  accepted: { summary: 'Accepted, with its Application', value: accepted },
  justAccepted: {
    summary: 'Accepted, with its Application; billing is pending',
    value: { ...accepted, billing: received.billing },
  },
  acceptedWithHandoff: {
    summary: 'Accepted, with a link to the customer journey',
    value: {
      ...accepted,
      handoff: {
        customer_journey_url:
          'https://pages.supplier.example/journey/p2Xc9Lw7eQ5rV1uGmN3bKsZ8tJyFhDaMoE4iRxCvB6n',
        expires_at: '2026-11-23T09:30:01.392Z',
        single_use: true,
      },
    },
  },
  acceptedBasic: {
    summary: 'Accepted at basic level; the Application comes next',
    value: {
      ...received,
      decided_at: '2026-11-20T09:30:01.205Z',
      level: 'basic',
      status: 'accepted',
      billing: { ...received.billing, billing_model: 'application_created' },
    },
  },
  promoted: {
    summary: 'Promoted, with its Application; billing is pending',
    value: {
      ...accepted,
      level: 'basic',
      application_created_at: '2026-11-20T11:02:17.880Z',
      billing: { ...received.billing, billing_model: 'application_created' },
    },
  },
  corrected: { summary: 'The correction was applied', value: { ...received, level: 'basic' } },
  rejected: {
    summary: 'Rejected',
    value: { ...received, ...decided, status: 'rejected', billing: unbilled('rejected') },
  },
  duplicate: {
    summary: 'A duplicate',
    value: { ...received, ...decided, status: 'duplicate_not_accepted', billing: unbilled('duplicate') },
  },
  returned: {
    summary: 'Accepted, then returned',
    value: {
      ...accepted,
      status: 'returned',
      billing: unbilled('returned'),
      return: {
        reason_category: 'outstanding_ccjs',
        reason_category_version: 'v1',
        returned_at: '2026-11-21T14:12:09.015Z',
      },
    },
  },
} satisfies Record<string, Example>;
