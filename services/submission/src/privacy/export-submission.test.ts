import { RefusalCode, refusalOf } from '@supplier/lib/rpc/refusal';
import { forAllTests } from '@supplier/lib/testing';
import { newId, type SubmissionId } from '@supplier/lib/text/ids';
import { ApplicationMinting } from '@supplier/proto/common/v1/principal';
import { ReturnReasonCategory, Status } from '@supplier/proto/common/v1/status';
import { OperationKind } from '@supplier/proto/submission/v1/export_submission';
import { JourneyLinkKind } from '@supplier/proto/submission/v1/journey_links';
import { basicSubmissions } from '../../testing/basic-submissions.ts';
import { openTestService } from '../../testing/test-service.ts';

const service = forAllTests(() => openTestService());
const submissions = basicSubmissions(service);

const exported = (submissionId: SubmissionId, purpose = 'subject access request 17') =>
  service.privacy.exportSubmission({ submissionId, purpose });

describe('ExportSubmission', () => {
  it('returns all stored data about an applicant', async () => {
    const submitted = await submissions.submit({
      enquiry: { firstName: 'Ada', marketing: true },
      terms: { applicationMinting: ApplicationMinting.ON_PROMOTION, enrolments: { documentFirst: true } },
    });
    await submissions.correct(submitted, 0, { firstName: 'Grace' });
    await submissions.promote(submitted, { enquiry: { firstName: 'Hedy' } });
    await service.work();
    const held = await exported(submitted.id);
    expect(held).toMatchObject({
      submissionId: submitted.id,
      accountId: submitted.accountId,
      status: Status.ACCEPTED,
      enquiry: { firstName: 'Ada' },
      consents: { marketing: true, privacyInformation: { provided: true }, contactExpectation: {} },
      workingContact: { firstName: 'Hedy' },
      contactCorrections: [{ revision: 1n, contact: { firstName: 'Grace' } }],
      application: {
        applicationReference: expect.stringMatching(/^APP-/),
        snapshot: { firstName: 'Hedy' },
        preUnderwriting: { policyVersion: expect.stringMatching(/./) },
      },
      decision: { rule: expect.stringMatching(/./) },
      links: [{ kind: JourneyLinkKind.HANDOFF }],
    });
    expect(held.operations.map(({ kind }) => kind).sort()).toEqual([
      OperationKind.PROMOTION,
      OperationKind.CONTACT_CORRECTION,
    ]);
  });

  it('tells that marketing was refused', async () => {
    const { id } = await service.submit({ enquiry: { marketing: false } });
    expect((await exported(id)).consents?.marketing).toBe(false);
  });

  it('tells when the submission was returned', async () => {
    service.at('2026-11-20T10:00:00Z');
    const { id } = await service.submit();
    await service.work();
    service.at('2026-11-20T10:00:01Z');
    const reasonCategory = ReturnReasonCategory.OUTSTANDING_CCJS;
    await service.staff.returnSubmission({ submissionId: id, reasonCategory });
    const { decidedAt, returnedAt } = await exported(id);
    expect(Number(returnedAt?.seconds) - Number(decidedAt?.seconds)).toBe(1);
  });

  it('contains no secret that opens a journey', async () => {
    const submitted = await submissions.submit({ terms: { enrolments: { documentFirst: true } } });
    const token = submitted.submission.handoff?.customerJourneyUrl.split('/').at(-1) ?? '';
    expect(token).toMatch(/./);
    const text = JSON.stringify(await exported(submitted.id), (_, v) => (typeof v === 'bigint' ? `${v}` : v));
    expect(text).not.toContain(token);
  });

  it('is audited with its purpose, before any data is opened', async () => {
    const { id } = await service.submit();
    await service.context.pool.query("UPDATE submission SET enquiry = 'broken' WHERE id = $1", [id]);
    await expect(exported(id, 'letter 17')).rejects.toThrow();
    expect(await service.context.db.auditEntry.findMany({ where: { target: id } })).toMatchObject([
      { actor: 'pat', action: 'ExportSubmission', purpose: 'letter 17' },
    ]);
  });

  it('rejects an unknown submission', async () => {
    const refusal = await exported(newId()).then(() => undefined, refusalOf);
    expect(refusal?.code).toBe(RefusalCode.NOT_FOUND);
  });
});
