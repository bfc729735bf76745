import { refusalOf } from '@supplier/lib/rpc/refusal';
import { eventually, forAllTests, startTestProcess } from '@supplier/lib/testing';
import { newId, type SubmissionId } from '@supplier/lib/text/ids';
import { Status } from '@supplier/proto/common/v1/status';
import { openTestService } from '../../testing/test-service.ts';
import { startWork } from '../work/index.ts';
import { decideReceived } from './decide-received.ts';

const service = forAllTests(() => openTestService());

const list = async (pageToken = '', pageSize = 0) => service.staff.listParkedWork({ pageSize, pageToken });
const release = (...submissionIds: string[]) => service.staff.releaseParkedWork({ submissionIds });
const dueNow = () =>
  service.context.pool.query("UPDATE submission SET work_due_at = now() - interval '1 second'");
const enquiryOf = async (id: SubmissionId) =>
  (await service.context.db.submission.findUniqueOrThrow({ where: { id } })).enquiry;

/** Replaces a submission's sealed enquiry with one that cannot be opened. Resolves to the original. */
async function spoil(id: SubmissionId) {
  const enquiry = await enquiryOf(id);
  await service.context.pool.query(
    String.raw`UPDATE submission SET enquiry = enquiry || '\x00' WHERE id = $1`,
    [id],
  );
  return enquiry;
}

describe('a submission that cannot be opened', () => {
  it('does not block the rest of its set or, once parked, later ones of its customer; staff can see and release it', async () => {
    const { context } = service;
    const email = `${newId()}@example.test`;
    service.at('2026-11-20T10:00:00Z');
    const bad = await service.submitUndecided({ enquiry: { email } });
    const whole = await spoil(bad.id);
    service.at('2026-11-20T10:00:01Z');
    const later = await service.submit({ enquiry: { email } });
    const others = await Promise.all(Array.from({ length: 62 }, () => service.submitUndecided()));

    const process = startTestProcess('submission');
    const worker = startWork(process, context.workPool, decideReceived(context));
    const statuses = () => Promise.all(others.map(({ id }) => service.statusOf(id)));
    await eventually('the others to be accepted', async () =>
      (await statuses()).every((status) => status === Status.ACCEPTED),
    );
    expect(await service.statusOf(bad.id)).toBe(Status.RECEIVED);
    // The earliest received wins, so the customer's later submission waits while the earlier one is retried.
    expect(await service.statusOf(later.id)).toBe(Status.RECEIVED);

    await eventually('the bad one to be parked', async () => {
      await dueNow();
      worker.wake();
      return (await list()).parked.length === 1;
    });
    expect((await list()).parked).toMatchObject([
      { submissionId: bad.id, attempts: 5, failure: expect.stringMatching(/^Error /) },
    ]);
    await eventually('the later one to be accepted', async () => {
      worker.wake();
      return (await service.statusOf(later.id)) === Status.ACCEPTED;
    });

    await context.db.submission.update({ where: { id: bad.id }, data: { enquiry: whole } });
    expect(await release(bad.id, newId())).toMatchObject({ releasedIds: [bad.id] });
    await eventually('the released one to be decided', async () => {
      worker.wake();
      return (await service.statusOf(bad.id)) === Status.DUPLICATE_NOT_ACCEPTED;
    });
    expect((await list()).parked).toEqual([]);
    const audit = await context.db.auditEntry.findMany({ where: { target: bad.id } });
    expect(audit).toMatchObject([{ actor: 'jo', action: 'ReleaseParkedWork' }]);
    await process.stop();
  });

  it('is listed in pages, and unknown page tokens are rejected', async () => {
    const ids = (await Promise.all(Array.from({ length: 3 }, () => service.submit()))).map(({ id }) => id);
    const [last, first, second] = ids.toSorted();
    await service.context.pool.query(
      `UPDATE submission SET work_failure = 'Error', work_parked_at = '2026-11-20T10:00:00Z'::timestamptz
              + CASE WHEN id = $2 THEN interval '1 s' ELSE '0' END WHERE id = ANY($1)`,
      [ids, last],
    );
    const listed: (string | undefined)[] = [];
    let token = '';
    do {
      const page = await list(token, 1);
      listed.push(...page.parked.map(({ submissionId }) => submissionId));
      token = page.nextPageToken;
    } while (token !== '');
    expect(listed).toEqual([first, second, last]);
    const unknown = await list('nonsense').then(() => undefined, refusalOf);
    expect(unknown?.violations).toMatchObject([{ path: 'page_token' }]);
    const refused = await release('not-an-id').then(() => undefined, refusalOf);
    expect(refused?.violations).toMatchObject([{ path: 'submission_ids.0' }]);
    await release(...ids);
  });
});
