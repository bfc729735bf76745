import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { Badge, Group } from '@mantine/core';
import { AccountState, AccountStateSchema } from '@supplier/proto/account/v1/account';
import {
  BillingStatus,
  BillingStatusSchema,
  Environment,
  NotBillableReason,
  NotBillableReasonSchema,
  Status,
  StatusSchema,
} from '@supplier/proto/common/v1/status';
import { type ContactCheck, ContactCheckSchema } from '@supplier/proto/submission/v1/list_submissions';
import { enumLabel, enumName } from '../format.ts';

/** Production must be unmistakable. */
export const EnvironmentBadge = ({ environment }: { readonly environment: Environment }) =>
  environment === Environment.PRODUCTION ? (
    <Badge color="amber">Production</Badge>
  ) : (
    <Badge color="blue">Sandbox</Badge>
  );

const STATUS_COLORS = {
  [Status.UNSPECIFIED]: 'gray',
  [Status.RECEIVED]: 'amber',
  [Status.ACCEPTED]: 'green',
  [Status.DUPLICATE_NOT_ACCEPTED]: 'gray',
  [Status.REJECTED]: 'gray',
  [Status.RETURNED]: 'red',
} as const satisfies Record<Status, string>;

export const StatusBadge = ({ status }: { readonly status: Status }) => (
  <Badge color={STATUS_COLORS[status]}>{enumLabel(StatusSchema, status)}</Badge>
);

const BILLING_COLORS = {
  [BillingStatus.UNSPECIFIED]: 'gray',
  [BillingStatus.PENDING]: 'amber',
  [BillingStatus.BILLABLE]: 'green',
  [BillingStatus.NOT_BILLABLE]: 'gray',
} as const satisfies Record<BillingStatus, string>;

interface BillingBadgeProps {
  readonly status: BillingStatus;
  readonly reason?: NotBillableReason | undefined;
}

export const BillingBadge = ({ status, reason = NotBillableReason.UNSPECIFIED }: BillingBadgeProps) => (
  <Badge color={BILLING_COLORS[status]}>
    {enumLabel(BillingStatusSchema, status)}
    {reason ? ` · ${enumName(NotBillableReasonSchema, reason)}` : ''}
  </Badge>
);

/** Names what staff should check in the contact details, if anything. */
export const ContactBadge = ({ checks }: { readonly checks: readonly ContactCheck[] }) =>
  checks.length === 0 ? null : (
    <Group component="span" gap={4}>
      {checks.map((check) => (
        <Badge key={check} color="amber">
          Check {enumName(ContactCheckSchema, check)}
        </Badge>
      ))}
    </Group>
  );

export const AccountBadge = ({ state }: { readonly state: AccountState }) => (
  <Badge color={state === AccountState.ACTIVE ? 'green' : 'red'}>
    {enumLabel(AccountStateSchema, state)}
  </Badge>
);

/** Whether a statement is closed, so that it never changes. */
export const StatementBadge = ({ closedAt }: { readonly closedAt: Timestamp | undefined }) =>
  closedAt ? <Badge color="green">Closed</Badge> : <Badge color="amber">Open</Badge>;
