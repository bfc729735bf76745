import { create } from '@bufbuild/protobuf';
import { type AccountId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import {
  BillingModel,
  BillingStatus,
  Environment,
  Level,
  NotBillableReason,
  ReturnReasonCategory,
  Status,
  SubmissionStatusSchema,
} from '@supplier/proto/common/v1/status';
import { toStatusMessage } from './status-message.ts';
import type { SubmissionState } from './submission.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 10, minute));
const ID = newId<SubmissionId>();
const RECEIVED: SubmissionState = {
  id: ID,
  accountId: newId<AccountId>(),
  environment: Environment.PRODUCTION,
  externalReference: 'ref-1',
  level: Level.BASIC,
  status: Status.RECEIVED,
  awaitsStaff: true,
  unidentified: false,
  receivedAt: at(0),
  decidedAt: null,
  application: null,
  billing: {
    model: BillingModel.APPLICATION_CREATED,
    status: BillingStatus.PENDING,
    billableAt: null,
    notBillableReason: NotBillableReason.UNSPECIFIED,
  },
  returned: null,
  enrolments: undefined,
  changedAt: at(0),
  version: 3n,
};
const SHOWN = {
  environment: Environment.PRODUCTION,
  submissionId: ID,
  externalReference: 'ref-1',
  level: Level.BASIC,
  status: Status.RECEIVED,
  receivedAt: toTimestamp(at(0)),
  billing: { billingStatus: BillingStatus.PENDING, billingModel: BillingModel.APPLICATION_CREATED },
};

describe("a supplier's view of a submission", () => {
  it('has no decision time and no Application before its decision', () => {
    expect(toStatusMessage(RECEIVED)).toEqual(create(SubmissionStatusSchema, SHOWN));
  });

  it('has its decision, Application, billing and return after they happened', () => {
    const state: SubmissionState = {
      ...RECEIVED,
      status: Status.RETURNED,
      decidedAt: at(1),
      application: { reference: 'APP-0000000001', createdAt: at(2) },
      billing: {
        ...RECEIVED.billing,
        status: BillingStatus.NOT_BILLABLE,
        billableAt: at(3),
        notBillableReason: NotBillableReason.RETURNED,
      },
      returned: { reason: ReturnReasonCategory.OUTSTANDING_CCJS, at: at(4) },
    };
    expect(toStatusMessage(state)).toEqual(
      create(SubmissionStatusSchema, {
        ...SHOWN,
        status: Status.RETURNED,
        decidedAt: toTimestamp(at(1)),
        applicationReference: 'APP-0000000001',
        applicationCreatedAt: toTimestamp(at(2)),
        billing: {
          ...SHOWN.billing,
          billingStatus: BillingStatus.NOT_BILLABLE,
          billableAt: toTimestamp(at(3)),
          notBillableReason: NotBillableReason.RETURNED,
        },
        return: { reasonCategory: ReturnReasonCategory.OUTSTANDING_CCJS, returnedAt: toTimestamp(at(4)) },
      }),
    );
  });
});
