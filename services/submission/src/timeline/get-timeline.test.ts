import { randomBytes } from 'node:crypto';
import { RefusalCode, refusalOf } from '@supplier/lib/rpc/refusal';
import { forAllTests } from '@supplier/lib/testing';
import { newId, type SubmissionId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { BillingStatus, Level, ReturnReasonCategory, Status } from '@supplier/proto/common/v1/status';
import { RestatementReason } from '@supplier/proto/submission/v1/status_changes';
import { PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import { LinkMoment, PreUnderwritingOutcome, type Timeline } from '@supplier/proto/submission/v1/timeline';
import { openTestService, type TestService } from '../../testing/test-service.ts';

const service = forAllTests(() => openTestService());
/** Events get the time of the machine's clock. */
const now = () => service.at(new Date().toISOString());
beforeEach(now);

const decide = (id: SubmissionId) => {
  now();
  return service.decide(id);
};

const timeline = (submissionId: string) => service.staff.getTimeline({ submissionId });
const whatIn = ({ entries }: Timeline) => entries.map(({ what }) => what);
/** Returns the entries of one kind. */
const all = (line: Timeline, kind: string) =>
  whatIn(line).flatMap((what) => (what.case === kind ? [what.value] : []));

const FAILING = { creditScreening: { provider: 'p', unsatisfiedCcjs: 2 } };

describe('GetTimeline', () => {
  it('returns the history of a submission in time order: decision and reason, Application, billing, return, actions', async () => {
    const { id } = await service.submit();
    await decide(id);
    now();
    await service.staff.getApplication({ purpose: 'read by a test', submissionId: id });
    now();
    await service.staff.returnSubmission({
      submissionId: id,
      reasonCategory: ReturnReasonCategory.OVERDUE_FILINGS,
    });
    const line = await timeline(id);
    const row = await service.context.db.submission.findUniqueOrThrow({ where: { id } });
    expect(line).toMatchObject({
      submissionId: id,
      accountId: row.accountId,
      externalReference: row.externalReference,
      status: Status.RETURNED,
      eventCount: 2n,
      fundingAmount: 25_000,
      businessSector: 1,
      tradingDuration: 2,
    });
    expect(line.entries[0]).toMatchObject({
      at: toTimestamp(row.receivedAt),
      what: { case: 'received', value: { forStaff: false } },
    });
    expect(all(line, 'decided')).toMatchObject([
      {
        decision: Status.ACCEPTED,
        policyVersion: row.decisionPolicy,
        rule: row.decisionRule,
        reason: row.decisionReason,
      },
    ]);
    expect(row.decisionReason).toMatch(/./);
    expect(all(line, 'applicationCreated')).toMatchObject([
      { applicationReference: row.applicationReference },
    ]);
    expect(all(line, 'preUnderwriting')).toMatchObject([
      { outcome: PreUnderwritingOutcome.CLEARED, reasons: [] },
    ]);
    expect(all(line, 'returned')).toMatchObject([{ reasonCategory: ReturnReasonCategory.OVERDUE_FILINGS }]);
    expect(all(line, 'billing')).toMatchObject([
      { billingStatus: BillingStatus.NOT_BILLABLE, notBillableReason: 4 },
    ]);
    expect(all(line, 'staffAction')).toMatchObject([
      { actor: 'jo', action: 'GetApplication' },
      { actor: 'jo', action: 'ReturnSubmission' },
    ]);
    expect(all(line, 'event')).toMatchObject([
      { type: 'SubmissionStatusChanged', version: 1n, change: 'decided', status: 2, billingStatus: 2 },
      { type: 'SubmissionStatusChanged', version: 2n, change: 'returned', status: 5, billingStatus: 3 },
    ]);
    const times = line.entries.map(({ at }) => `${at?.seconds}.${String(at?.nanos).padStart(9, '0')}`);
    expect(times).toEqual([...times].sort());
  });

  it('returns published and restated events, and none of other submissions', async () => {
    const { id } = await service.submit();
    const other = await service.submit();
    await decide(id);
    await decide(other.id);
    now();
    await service.as('webhook').restateSubmission({ submissionId: id, reason: RestatementReason.TEST });
    await service.context.pool.query('DELETE FROM outbox');
    expect(all(await timeline(id), 'event')).toMatchObject([
      { version: 1n, change: 'decided' },
      { version: 2n, change: 'test' },
    ]);
    expect(all(await timeline(other.id), 'event')).toHaveLength(1);
  });

  it('returns the latest 200 of all events, whenever they were stored', async () => {
    const { id } = await service.submit();
    await decide(id);
    await service.context.pool.query(
      `INSERT INTO domain_event
       SELECT event_id_floor(now() - n * interval '1 minute'), aggregate_id, type, subject, envelope
         FROM domain_event, generate_series(1, 200) AS n WHERE aggregate_id = $1`,
      [id],
    );
    now();
    await service.as('webhook').restateSubmission({ submissionId: id, reason: RestatementReason.TEST });
    const events = all(await timeline(id), 'event');
    expect(events).toHaveLength(200);
    expect(events.at(-1)).toMatchObject({ version: 2n, change: 'test' });
  });

  it('names the corrected fields without their values, and none once they are erased', async () => {
    const options = {
      accountId: newId(),
      level: Level.BASIC,
      terms: { applicationMinting: 2 },
    } as Parameters<TestService['submit']>[0];
    const { id } = await service.submit(options);
    const contact = { telephone: '07700 900999', email: 'changed@example.test', preferredContactMethod: 1 };
    await service.onBehalfOf(options ?? {}).correctContact({
      submissionId: id,
      operationIdempotencyKey: newId(),
      expectedRevision: 0n,
      contact,
      bodyFingerprint: randomBytes(32),
    });
    const line = await timeline(id);
    expect(all(line, 'contactCorrected')).toMatchObject([
      { revision: 1n, fields: ['telephone', 'email', 'preferred_contact_method'] },
    ]);
    const text = JSON.stringify(line, (_, value) => (typeof value === 'bigint' ? String(value) : value));
    for (const personal of ['900999', 'changed@', 'Ada', 'Sample Trading', '@example.test'])
      expect(text).not.toContain(personal);
    await service.context.pool.query(
      'UPDATE contact_correction SET contact = NULL WHERE submission_id = $1',
      [id],
    );
    expect(all(await timeline(id), 'contactCorrected')).toMatchObject([{ revision: 1n, fields: [] }]);
  });

  it('returns links without their secrets, and pre-underwriting left to staff', async () => {
    const { id } = await service.submit({
      terms: { preUnderwritingFailure: 2, enrolments: { documentFirst: true } },
      enquiry: FAILING,
    });
    await decide(id);
    const line = await timeline(id);
    expect(all(line, 'journeyLink')).toMatchObject([{ kind: 2, number: 1, moment: LinkMoment.ISSUED }]);
    expect(all(line, 'preUnderwriting')).toMatchObject([
      { outcome: PreUnderwritingOutcome.LEFT_TO_STAFF, reasons: [expect.any(String)] },
    ]);
    service.at(new Date(Date.now() + 80 * 3_600_000).toISOString());
    expect(all(await timeline(id), 'journeyLink')).toMatchObject([
      { moment: LinkMoment.ISSUED },
      { moment: LinkMoment.EXPIRED },
    ]);
    now();
    await service.staff.completePreUnderwriting({ submissionId: id, outcome: PreUnderwritingState.CLEARED });
    expect(all(await timeline(id), 'preUnderwriting')).toMatchObject([
      { outcome: PreUnderwritingOutcome.CLEARED },
    ]);
  });

  it('reports parked work', async () => {
    const { id } = await service.submit();
    await service.context.pool.query(
      `UPDATE submission SET work_parked_at = now(), work_attempts = 5, work_failure = 'Error at x' WHERE id = $1`,
      [id],
    );
    expect(all(await timeline(id), 'parked')).toMatchObject([{ attempts: 5, failure: 'Error at x' }]);
  });

  it.each([
    [newId(), RefusalCode.NOT_FOUND],
    ['x', RefusalCode.VALIDATION_ERROR],
  ])('rejects %s', async (submissionId, code) => {
    const error = await timeline(submissionId).catch((cause: unknown) => cause);
    expect(refusalOf(error)?.code).toBe(code);
  });
});
