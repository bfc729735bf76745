import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { inTransaction } from '@supplier/lib/data/postgres';
import type { DomainEvent } from '@supplier/lib/events/event-bus';
import { type AccountId, type EventId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import {
  BillingModel,
  BillingStatus,
  Environment,
  NotBillableReason,
  ReturnReasonCategory,
  Status,
} from '@supplier/proto/common/v1/status';
import {
  StatusChange,
  type SubmissionStatusChanged,
  SubmissionStatusChangedSchema,
} from '@supplier/proto/submission/v1/events';
import type { Context } from '../src/context.ts';
import { applySubmissionEvents } from '../src/ledger/apply-submission-events.ts';

export const BILLABLE_AT = new Date('2026-11-01T10:00:00.111Z');
export const RETURNED_AT = new Date('2026-11-04T10:00:00.444Z');
/** The time on the service's clock. */
export const NOW = new Date('2026-11-20T12:00:00.000Z');

export type SubmissionEvent = DomainEvent<SubmissionStatusChanged>;
type Init = MessageInitShape<typeof SubmissionStatusChangedSchema>;
type SubmissionInit = NonNullable<Init['submission']>;

/** Properties of a submission that a test can override. */
export interface Particulars {
  readonly billingModel?: BillingModel;
  readonly environment?: Environment;
  readonly accountId?: AccountId;
  readonly billableAt?: Date;
  readonly returnedAt?: Date;
}

export type Submission = ReturnType<typeof submissionOf>;

/** Creates the events that the submission service publishes about one submission, each time with a new id. */
export function submissionOf({
  billingModel = BillingModel.ACCEPTED_SUBMISSION,
  environment = Environment.PRODUCTION,
  accountId = newId<AccountId>(),
  billableAt = BILLABLE_AT,
  returnedAt = RETURNED_AT,
}: Particulars = {}) {
  const submissionId = newId<SubmissionId>();
  const event = (message: Init): SubmissionEvent => ({
    id: newId<EventId>(),
    aggregateId: submissionId,
    version: 1n,
    occurredAt: NOW,
    context: { requestId: `request-of-${submissionId}`, traceParent: '' },
    message: create(SubmissionStatusChangedSchema, message),
  });
  const changed = (
    status: Status,
    billing: NonNullable<SubmissionInit['billing']>,
    {
      submission,
      ...message
    }: { accountId?: string; wasBillableAt?: Timestamp; submission?: SubmissionInit } = {},
  ) =>
    event({
      accountId,
      change: StatusChange.DECIDED,
      ...message,
      submission: {
        submissionId,
        environment,
        status,
        billing: { billingModel, ...billing },
        ...(status === Status.RETURNED && {
          return: {
            reasonCategory: ReturnReasonCategory.OVERDUE_FILINGS,
            returnedAt: toTimestamp(returnedAt),
          },
        }),
        ...submission,
      } as SubmissionInit,
    });
  const pending = { billingStatus: BillingStatus.PENDING };
  const billable = { billingStatus: BillingStatus.BILLABLE, billableAt: toTimestamp(billableAt) };
  const notBillable = (notBillableReason: NotBillableReason) => ({
    billingStatus: BillingStatus.NOT_BILLABLE,
    notBillableReason,
  });
  const returned = notBillable(NotBillableReason.RETURNED);
  const wasBillableAt = toTimestamp(billableAt);
  return {
    submissionId,
    accountId,
    received: () => changed(Status.RECEIVED, pending),
    /** Accepted, but not billable yet. */
    accepted: () => changed(Status.ACCEPTED, pending),
    billable: () => changed(Status.ACCEPTED, billable),
    rejected: () => changed(Status.REJECTED, notBillable(NotBillableReason.REJECTED)),
    duplicate: () => changed(Status.DUPLICATE_NOT_ACCEPTED, notBillable(NotBillableReason.DUPLICATE)),
    /** Accepted in the sandbox. */
    sandbox: () => changed(Status.ACCEPTED, notBillable(NotBillableReason.SANDBOX)),
    returned: () => changed(Status.RETURNED, returned, { wasBillableAt }),
    /** Returned before it was billable. */
    returnedWithoutTime: () => changed(Status.RETURNED, returned),
    /** Each event breaks the event contract. */
    broken: {
      'without a submission': () => event({ accountId }),
      'without an account': () => changed(Status.ACCEPTED, billable, { accountId: '' }),
      'without billing': () => event({ accountId, submission: { submissionId, environment } }),
      'of another submission': () =>
        changed(Status.ACCEPTED, billable, { submission: { submissionId: newId() } }),
      'without a billing status': () => changed(Status.ACCEPTED, {}),
      'without a billing model': () =>
        changed(Status.ACCEPTED, { ...billable, billingModel: BillingModel.UNSPECIFIED }),
      'billable without a time': () => changed(Status.ACCEPTED, { billingStatus: BillingStatus.BILLABLE }),
      'billable in the sandbox': () =>
        changed(Status.ACCEPTED, billable, { submission: { environment: Environment.SANDBOX } }),
      'returned without a time': () =>
        changed(Status.RETURNED, returned, { submission: { return: {} }, wasBillableAt }),
    },
  };
}

/** Applies a set of events in one transaction, as the consumer does. */
export function deliver({ pool }: Pick<Context, 'pool'>, ...events: SubmissionEvent[]): Promise<void> {
  return inTransaction(pool, (tx) => applySubmissionEvents(tx, events));
}
