import { fromBinary } from '@bufbuild/protobuf';
import { forAllTests } from '@supplier/lib/testing';
import type { SubmissionId } from '@supplier/lib/text/ids';
import { ScreeningResult } from '@supplier/proto/common/v1/enquiry';
import { EventEnvelopeSchema } from '@supplier/proto/common/v1/event';
import {
  BillingStatus,
  NotBillableReason,
  ReturnReasonCategory,
  Status,
} from '@supplier/proto/common/v1/status';
import { StatusChange, SubmissionStatusChangedSchema } from '@supplier/proto/submission/v1/events';
import { PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import { openTestService, type SubmitOptions } from '../../testing/test-service.ts';

const service = forAllTests(() => openTestService());

const accept = async (options: SubmitOptions = {}) => {
  const { id } = await service.submit(options);
  await service.decide(id);
  return id;
};
async function changesOf(id: SubmissionId) {
  const rows = await service.context.db.domainEvent.findMany({
    where: { aggregateId: id, type: SubmissionStatusChangedSchema.typeName },
    orderBy: { eventId: 'asc' },
  });
  return rows.map(({ envelope }) =>
    fromBinary(SubmissionStatusChangedSchema, fromBinary(EventEnvelopeSchema, envelope).payload),
  );
}
const rowOf = (id: SubmissionId) =>
  service.context.db.submission.findUniqueOrThrow({ where: { id }, include: { application: true } });
const failing = { creditScreening: { provider: 'p', unsatisfiedCcjs: ScreeningResult.FAIL } };
const returnIt = (id: SubmissionId) =>
  service.staff.returnSubmission({
    submissionId: id,
    reasonCategory: ReturnReasonCategory.OVERDUE_FILINGS,
  });

describe('pre-underwriting', () => {
  it('clears with the acceptance, in the same event', async () => {
    const id = await accept();
    expect((await rowOf(id)).application?.preUnderwriting).toBe(PreUnderwritingState.CLEARED);
    expect(await changesOf(id)).toMatchObject([{ submission: { status: Status.ACCEPTED } }]);
    expect(await service.eventsOf(id)).toEqual(['SubmissionStatusChanged']);
  });

  it('returns a failed submission and reverses its billing in the same event', async () => {
    const id = await accept({ enquiry: failing });
    expect(await rowOf(id)).toMatchObject({
      status: Status.RETURNED,
      returnReason: ReturnReasonCategory.OUTSTANDING_CCJS,
      billingStatus: BillingStatus.NOT_BILLABLE,
      notBillableReason: NotBillableReason.RETURNED,
      application: {
        preUnderwriting: PreUnderwritingState.NOT_CLEARED,
        preUnderwritingReasons: ['unsatisfied-ccjs'],
      },
    });
    expect(await changesOf(id)).toMatchObject([
      { submission: { status: Status.ACCEPTED }, change: StatusChange.DECIDED },
      {
        submission: { status: Status.RETURNED, billing: { notBillableReason: NotBillableReason.RETURNED } },
        change: StatusChange.RETURNED,
      },
    ]);
  });

  it('leaves a failed submission to staff when the terms require it', async () => {
    const id = await accept({ enquiry: failing, terms: { preUnderwritingFailure: 2 } });
    expect(await rowOf(id)).toMatchObject({
      status: Status.ACCEPTED,
      application: { preUnderwriting: PreUnderwritingState.PENDING },
    });
    expect(await changesOf(id)).toMatchObject([{ submission: { status: Status.ACCEPTED } }]);
  });
});

describe('staff', () => {
  it('can return an accepted submission once, and not after the window', async () => {
    service.at('2026-11-20T10:00:00Z');
    const id = await accept();
    const late = await accept();
    expect((await returnIt(id)).status).toBe(Status.RETURNED);
    await expect(returnIt(id)).rejects.toThrow('already been returned, by jo at 2026-11-20T10:00:00');
    service.at('2026-12-21T10:00:00Z');
    await expect(returnIt(late)).rejects.toThrow('return window');
    service.at('2026-11-20T10:00:00Z');
  });

  it('can decide a submission awaiting decision once, with an audit entry', async () => {
    const { id } = await service.submit({ terms: { decisionMode: 2 } });
    const decide = (decision: Status) =>
      service.staff.decideSubmission({ submissionId: id, decision, reason: 'seen' });
    await expect(decide(Status.RETURNED)).rejects.toThrow();
    expect((await decide(Status.ACCEPTED)).applicationReference).toMatch(/^APP-/);
    await expect(decide(Status.REJECTED)).rejects.toThrow('already been decided');
    const audit = await service.context.db.auditEntry.findMany({ where: { target: id } });
    expect(audit).toMatchObject([{ actor: 'jo', action: 'DecideSubmission' }]);
  });

  it('cannot change the audit log', async () => {
    await expect(service.context.pool.query('UPDATE audit_entry SET actor = $1', ['nobody'])).rejects.toThrow(
      'only ever added',
    );
    await expect(service.context.pool.query('DELETE FROM audit_entry')).rejects.toThrow('only ever added');
  });
});

it('each change of a submission has a later time, even if the clock does not advance', async () => {
  const id = await accept({ enquiry: failing, terms: { billingModel: 3, preUnderwritingFailure: 2 } });
  await service.staff.completePreUnderwriting({ submissionId: id, outcome: PreUnderwritingState.CLEARED });
  await returnIt(id);
  const { rows } = await service.context.pool.query(
    'SELECT FROM domain_event WHERE aggregate_id = $1 AND type LIKE $2',
    [id, '%StatusChanged'],
  );
  expect(rows).toHaveLength(3);
  const row = await rowOf(id);
  expect(row.changedAt.getTime()).toBeGreaterThan(row.decidedAt?.getTime() ?? Number.POSITIVE_INFINITY);
});
