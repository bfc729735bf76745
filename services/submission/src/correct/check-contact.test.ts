import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { forAllTests } from '@supplier/lib/testing';
import { newId } from '@supplier/lib/text/ids';
import { Environment, Level, Status } from '@supplier/proto/common/v1/status';
import { ContactCheck } from '@supplier/proto/submission/v1/list_submissions';
import { type BasicSubmission, basicSubmissions } from '../../testing/basic-submissions.ts';
import { openTestService } from '../../testing/test-service.ts';

const service = forAllTests(() => openTestService());
const allSubmitted = basicSubmissions(service);

/** Uses a new customer each time, since an undeliverable address is still a match key. */
const unusable = () => ({
  telephone: '0800-FLOWERS',
  email: `${newId()}@byron`,
  firstName: '   ',
  captureTimestamp: timestampFromDate(new Date('2027-11-20T10:00:00Z')),
});
const ALL = [ContactCheck.TELEPHONE, ContactCheck.EMAIL, ContactCheck.NAME, ContactCheck.CAPTURE_TIME];
const TERMS = { applicationMinting: 2 } as const;

async function marksOn({ id, accountId }: Pick<BasicSubmission, 'id' | 'accountId'>) {
  const { submissions } = await service.staff.listSubmissions({
    accountId,
    environment: Environment.PRODUCTION,
  });
  const { checkContact } = await service.staff.getTimeline({ submissionId: id });
  expect(submissions.map((one) => one.checkContact)).toEqual([checkContact]);
  return checkContact;
}

describe('the check contact mark', () => {
  it('is set on a submission with an unusable contact, which is accepted like any other', async () => {
    const submitted = await allSubmitted.submit({ enquiry: unusable() });
    expect(submitted.submission.status).toBe(Status.ACCEPTED);
    expect(await marksOn(submitted)).toEqual(ALL);
    expect(await marksOn(await allSubmitted.submit())).toEqual([]);
  });

  it('is set on a submission at application level, decided or not', async () => {
    const { id, submission } = await service.submitUndecided({
      level: Level.APPLICATION,
      enquiry: unusable(),
    });
    expect(submission.status).toBe(Status.RECEIVED);
    const row = await service.context.db.submission.findUniqueOrThrow({ where: { id } });
    expect((await service.staff.getTimeline({ submissionId: row.id })).checkContact).toEqual(ALL);
  });

  it('is updated by contact corrections, except for the capture time', async () => {
    const submitted = await allSubmitted.submit({ enquiry: unusable(), terms: TERMS });
    await allSubmitted.correct(submitted, 0, { telephone: '07700 900123', email: 'ada@example.test' });
    expect(await marksOn(submitted)).toEqual([ContactCheck.NAME, ContactCheck.CAPTURE_TIME]);
    await allSubmitted.correct(submitted, 1, { firstName: 'Ada', email: 'ada' });
    expect(await marksOn(submitted)).toEqual([ContactCheck.EMAIL, ContactCheck.CAPTURE_TIME]);
  });

  it('is updated by a promotion, whose capture time is compared with the time of promotion', async () => {
    const submitted = await allSubmitted.submit({ enquiry: unusable(), terms: TERMS });
    service.at('2026-12-20T10:00:00Z');
    const captured = timestampFromDate(new Date('2026-12-20T09:00:00Z'));
    await allSubmitted.promote(submitted, { enquiry: { captureTimestamp: captured, telephone: 'none' } });
    service.at('2026-11-20T10:00:00Z');
    expect(await marksOn(submitted)).toEqual([ContactCheck.TELEPHONE]);
  });

  it('is removed when the applicant is erased', async () => {
    const submitted = await allSubmitted.submit({ enquiry: unusable(), terms: TERMS });
    await service.privacy.requestErasure({ submissionIds: [submitted.id], purpose: 'case 23' });
    await service.erase();
    expect(await marksOn(submitted)).toEqual([]);
  });
});
