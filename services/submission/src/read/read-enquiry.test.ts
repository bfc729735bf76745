import { RefusalCode, refusalOf } from '@supplier/lib/rpc/refusal';
import { forAllTests } from '@supplier/lib/testing';
import type { SubmissionId } from '@supplier/lib/text/ids';
import { basicSubmissions } from '../../testing/basic-submissions.ts';
import { openTestService } from '../../testing/test-service.ts';

const service = forAllTests(() => openTestService());
const submissions = basicSubmissions(service);

const purpose = 'asked by telephone';
const read = (submissionId: SubmissionId, masked = false) =>
  service.staff.readEnquiry({ submissionId, purpose, masked });
const entriesOf = (target: SubmissionId) =>
  service.context.db.auditEntry.findMany({ where: { target, action: 'ReadEnquiry' } });

describe('ReadEnquiry', () => {
  it('separates the received data from later corrections', async () => {
    const submission = await submissions.submit({ enquiry: { firstName: 'Ada', email: 'ada@example.test' } });
    await service.decide(submission.id);
    await submissions.correct(submission, 0, { firstName: 'Grace', telephone: '07911 555111' });
    const { enquiry, contact } = await read(submission.id);
    expect(enquiry).toMatchObject({ firstName: 'Ada', email: 'ada@example.test' });
    expect(contact).toMatchObject({ firstName: 'Grace', telephone: '07911 555111', revision: 1n });
    expect((await read(submission.id, true)).masked).toMatchObject({
      initials: expect.stringMatching(/^G\. /),
      telephoneEnding: '111',
    });
  });

  it('reports that data has been erased, without an audit entry', async () => {
    const { id } = await submissions.submit();
    await service.context.pool.query('UPDATE submission SET enquiry = NULL WHERE id = $1', [id]);
    const refusal = await read(id).then(() => undefined, refusalOf);
    expect(refusal?.code).toBe(RefusalCode.WRONG_STATE);
    expect(await entriesOf(id)).toEqual([]);
  });
});
