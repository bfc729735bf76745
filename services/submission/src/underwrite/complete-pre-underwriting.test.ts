import { RefusalCode } from '@supplier/lib/rpc/refusal';
import { forAllTests, refusalTo } from '@supplier/lib/testing';
import { type AccountId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { ScreeningResult } from '@supplier/proto/common/v1/enquiry';
import { ApplicationMinting, PreUnderwritingFailure } from '@supplier/proto/common/v1/principal';
import {
  BillingModel,
  BillingStatus,
  Level,
  NotBillableReason,
  ReturnReasonCategory,
  Status,
} from '@supplier/proto/common/v1/status';
import { PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import { basicSubmissions } from '../../testing/basic-submissions.ts';
import { openTestService, type SubmitOptions } from '../../testing/test-service.ts';

const service = forAllTests(() => openTestService());

const { CLEARED, NOT_CLEARED } = PreUnderwritingState;
const rowOf = (id: SubmissionId) =>
  service.context.db.submission.findUniqueOrThrow({ where: { id }, include: { application: true } });
const complete = (id: SubmissionId, outcome: PreUnderwritingState, returnReason = 0, closeReason?: string) =>
  service.staff.completePreUnderwriting({
    submissionId: id,
    outcome,
    returnReason,
    ...(closeReason === undefined ? {} : { closeReason }),
  });
const close = (id: SubmissionId, reason = 'court judgment confirmed') =>
  complete(id, NOT_CLEARED, ReturnReasonCategory.UNSPECIFIED, reason);
/** Creates an accepted submission whose Application has failed pre-underwriting and awaits review. */
const queued = async (terms: SubmitOptions['terms'] = {}) => {
  const { id } = await service.submit({
    enquiry: { creditScreening: { provider: 'p', unsatisfiedCcjs: ScreeningResult.FAIL } },
    terms: { preUnderwritingFailure: PreUnderwritingFailure.QUEUE_FOR_STAFF, ...terms },
  });
  await service.decide(id);
  await service.work();
  return id;
};

describe('CompletePreUnderwriting', () => {
  it('clears a pre-underwriting left to staff, once, with an audit entry', async () => {
    const id = await queued();
    const all = await Promise.allSettled([complete(id, CLEARED), complete(id, CLEARED)]);
    expect(all.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await rowOf(id)).toMatchObject({
      status: Status.ACCEPTED,
      application: { preUnderwriting: CLEARED, preUnderwritingReasons: ['unsatisfied-ccjs'] },
    });
    const audit = await service.context.db.auditEntry.findMany({ where: { target: id } });
    expect(audit).toMatchObject([{ actor: 'jo', action: 'CompletePreUnderwriting' }]);
  });

  it('returns the submission when staff do not clear it, in the same transaction', async () => {
    const id = await queued();
    const status = await complete(id, NOT_CLEARED, ReturnReasonCategory.OVERDUE_FILINGS);
    expect(status).toMatchObject({
      status: Status.RETURNED,
      return: { reasonCategory: ReturnReasonCategory.OVERDUE_FILINGS },
      billing: { notBillableReason: NotBillableReason.RETURNED },
    });
    expect((await rowOf(id)).application?.preUnderwriting).toBe(NOT_CLEARED);
  });

  it('requires a reason only when the outcome is not cleared', async () => {
    const id = await queued();
    const paths = async (call: Promise<unknown>) =>
      (await refusalTo(call))?.violations.map(({ path }) => path);
    expect(await paths(complete(id, NOT_CLEARED))).toEqual(['return_reason']);
    expect(await paths(complete(id, CLEARED, ReturnReasonCategory.OVERDUE_FILINGS))).toEqual([
      'return_reason',
    ]);
    expect(await paths(complete(id, PreUnderwritingState.PENDING))).toEqual(['outcome']);
    expect(await paths(complete(id, CLEARED, 0, 'why'))).toEqual(['close_reason']);
    expect(await paths(complete(id, NOT_CLEARED, 1, 'why'))).toEqual(['close_reason']);
    expect((await rowOf(id)).application?.preUnderwriting).toBe(PreUnderwritingState.PENDING);
  });

  it('is rejected for a submission that was not left to staff', async () => {
    const { id } = await service.submit();
    await service.decide(id);
    expect((await refusalTo(complete(id, CLEARED)))?.code).toBe(RefusalCode.WRONG_STATE);
    await service.work();
    expect((await refusalTo(complete(id, CLEARED)))?.code).toBe(RefusalCode.WRONG_STATE);
    expect((await refusalTo(complete(newId<SubmissionId>(), CLEARED)))?.code).toBe(RefusalCode.NOT_FOUND);
  });

  it('returns nothing after the return window, but can still clear', async () => {
    const id = await queued();
    service.at('2026-12-21T10:00:00Z');
    expect((await refusalTo(complete(id, NOT_CLEARED, 1)))?.code).toBe(RefusalCode.WRONG_STATE);
    expect((await complete(id, CLEARED)).status).toBe(Status.ACCEPTED);
    service.at('2026-11-20T10:00:00Z');
  });

  it('closes a submission that is not cleared after the return window, and ends its billing', async () => {
    const id = await queued({ billingModel: BillingModel.PRE_UNDERWRITING_CLEARED });
    expect((await refusalTo(close(id)))?.code).toBe(RefusalCode.WRONG_STATE);
    const before = (await service.eventsOf(id)).length;
    service.at('2026-12-21T10:00:00Z');
    const status = await close(id);
    expect(status).toMatchObject({
      status: Status.ACCEPTED,
      billing: {
        billingStatus: BillingStatus.NOT_BILLABLE,
        notBillableReason: NotBillableReason.REJECTED,
      },
    });
    expect(status.return).toBeUndefined();
    expect((await service.eventsOf(id)).slice(before)).toEqual(['SubmissionStatusChanged']);
    expect(
      (await service.staff.getApplication({ purpose: 'read by a test', submissionId: id })).preUnderwriting,
    ).toMatchObject({
      state: NOT_CLEARED,
      closeReason: 'court judgment confirmed',
      reasons: ['unsatisfied-ccjs'],
    });
    expect((await refusalTo(close(id)))?.code).toBe(RefusalCode.WRONG_STATE);
    service.at('2026-11-20T10:00:00Z');
    const reasonCategory = ReturnReasonCategory.OUTSTANDING_CCJS;
    const returned = service.staff.returnSubmission({ submissionId: id, reasonCategory });
    expect((await refusalTo(returned))?.code).toBe(RefusalCode.WRONG_STATE);
    const audit = await service.context.db.auditEntry.findMany({ where: { target: id } });
    expect(audit.map(({ action }) => action)).toEqual(['CompletePreUnderwriting', 'GetApplication']);
  });
});

describe('a failure of pre-underwriting by policy', () => {
  it('awaits staff instead of returning the submission after the return window', async () => {
    const { id } = await service.submit({
      level: Level.BASIC,
      enquiry: { creditScreening: { provider: 'p', unsatisfiedCcjs: ScreeningResult.FAIL } },
      terms: { applicationMinting: ApplicationMinting.ON_PROMOTION },
    });
    await service.decide(id);
    const { accountId } = await rowOf(id);
    await basicSubmissions(service).promote(
      { id, accountId: accountId as AccountId },
      { enquiry: { creditScreening: { provider: 'p', unsatisfiedCcjs: ScreeningResult.FAIL } } },
    );
    service.at('2026-12-21T10:00:00Z');
    await service.work();
    expect(await rowOf(id)).toMatchObject({
      status: Status.ACCEPTED,
      application: {
        preUnderwriting: PreUnderwritingState.PENDING,
        preUnderwritingReasons: ['unsatisfied-ccjs'],
      },
    });
    await close(id);
    expect((await rowOf(id)).application?.preUnderwriting).toBe(NOT_CLEARED);
    service.at('2026-11-20T10:00:00Z');
  });

  it('returns a submission whose Application was created long after its decision', async () => {
    const { id } = await service.submit({
      level: Level.BASIC,
      terms: { applicationMinting: ApplicationMinting.ON_PROMOTION },
    });
    await service.decide(id);
    const { accountId } = await rowOf(id);
    service.at('2027-02-01T10:00:00Z');
    await basicSubmissions(service).promote(
      { id, accountId: accountId as AccountId },
      { enquiry: { creditScreening: { provider: 'p', unsatisfiedCcjs: ScreeningResult.FAIL } } },
    );
    await service.work();
    expect((await rowOf(id)).status).toBe(Status.RETURNED);
    service.at('2026-11-20T10:00:00Z');
  });
});

describe('ReturnSubmission', () => {
  it('closes a pre-underwriting awaiting staff as not cleared', async () => {
    const id = await queued();
    const reasonCategory = ReturnReasonCategory.OUTSTANDING_CCJS;
    await service.staff.returnSubmission({ submissionId: id, reasonCategory });
    expect(await rowOf(id)).toMatchObject({
      status: Status.RETURNED,
      application: { preUnderwriting: NOT_CLEARED },
    });
    expect((await refusalTo(complete(id, CLEARED)))?.code).toBe(RefusalCode.WRONG_STATE);
  });
});
