import { Tag } from '@blueprintjs/core';
import { AccountState, AccountStateSchema } from '@supplier/proto/account/v1/account';
import {
  BillingStatus,
  BillingStatusSchema,
  Environment,
  Status,
  StatusSchema,
} from '@supplier/proto/common/v1/status';
import { type ContactCheck, ContactCheckSchema } from '@supplier/proto/submission/v1/list_submissions';
import { wordOf } from '../words.ts';

/** Production must be unmistakable. */
export const EnvironmentMark = ({ environment }: { readonly environment: Environment }) =>
  environment === Environment.PRODUCTION ? (
    <Tag className="production" intent="danger">
      PRODUCTION
    </Tag>
  ) : (
    <Tag minimal className="sandbox">
      sandbox
    </Tag>
  );

const STATUS_INTENT = {
  [Status.UNSPECIFIED]: 'none',
  [Status.RECEIVED]: 'primary',
  [Status.ACCEPTED]: 'success',
  [Status.DUPLICATE_NOT_ACCEPTED]: 'warning',
  [Status.REJECTED]: 'warning',
  [Status.RETURNED]: 'danger',
} as const satisfies Record<Status, string>;

export const StatusMark = ({ status }: { readonly status: Status }) => (
  <Tag minimal intent={STATUS_INTENT[status]}>
    {wordOf(StatusSchema, status)}
  </Tag>
);

const BILLING_INTENT = {
  [BillingStatus.UNSPECIFIED]: 'none',
  [BillingStatus.PENDING]: 'primary',
  [BillingStatus.BILLABLE]: 'success',
  [BillingStatus.NOT_BILLABLE]: 'warning',
} as const satisfies Record<BillingStatus, string>;

export const BillingMark = ({ status }: { readonly status: BillingStatus }) => (
  <Tag minimal intent={BILLING_INTENT[status]}>
    {wordOf(BillingStatusSchema, status)}
  </Tag>
);

/** Shows what staff should check in the contact details, if anything. */
export const ContactMark = ({ checks }: { readonly checks: readonly ContactCheck[] }) =>
  checks.length === 0 ? null : (
    <Tag minimal intent="warning">
      check contact: {checks.map((check) => wordOf(ContactCheckSchema, check)).join(', ')}
    </Tag>
  );

export const AccountMark = ({ state }: { readonly state: AccountState }) => (
  <Tag minimal intent={state === AccountState.ACTIVE ? 'success' : 'danger'}>
    {wordOf(AccountStateSchema, state)}
  </Tag>
);
