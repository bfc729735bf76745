import { randomUUID } from 'node:crypto';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { runInContext } from '@supplier/lib/runtime/request-context';
import { forAllTests } from '@supplier/lib/testing';
import { type AccountId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { BusinessSector, TradingDuration } from '@supplier/proto/common/v1/enquiry';
import { BillingStatus, Environment, Level, Status } from '@supplier/proto/common/v1/status';
import type { ListSubmissionsRequestSchema } from '@supplier/proto/submission/v1/list_submissions';
import { Queue } from '@supplier/proto/submission/v1/queues';
import { openTestService, type SubmitOptions } from '../../testing/test-service.ts';

type Request = MessageInitShape<typeof ListSubmissionsRequestSchema>;
const { PRODUCTION } = Environment;

const service = forAllTests(() => openTestService());
beforeEach(() => service.at(new Date().toISOString()));

const list = (request: Request) => service.staff.listSubmissions(request);
const submitted = async (options: SubmitOptions): Promise<SubmissionId> => (await service.submit(options)).id;
async function accepted(options: SubmitOptions): Promise<SubmissionId> {
  const id = await submitted(options);
  await service.decide(id);
  return id;
}

/** Returns the ids of all pages of a query. */
async function pagesOf(request: Request, pageToken = ''): Promise<string[][]> {
  const { submissions, nextPageToken } = await list({ ...request, pageToken });
  const page = submissions.map(({ submissionId }) => submissionId);
  return nextPageToken === '' ? [page] : [page, ...(await pagesOf(request, nextPageToken))];
}

describe('ListSubmissions', () => {
  it('returns the fields that staff need to find a submission, and nothing that identifies the applicant', async () => {
    const accountId = newId<AccountId>();
    const id = await accepted({ accountId, externalReference: 'Ref 1' });
    const row = await service.context.db.submission.findUniqueOrThrow({ where: { id } });
    const { submissions, nextPageToken } = await list({ accountId });
    expect(submissions).toMatchObject([
      {
        submissionId: id,
        accountId,
        environment: PRODUCTION,
        externalReference: 'Ref 1',
        level: Level.APPLICATION,
        status: Status.ACCEPTED,
        receivedAt: toTimestamp(row.receivedAt),
        decidedAt: toTimestamp(row.decidedAt as Date),
        billingStatus: BillingStatus.BILLABLE,
        applicationReference: row.applicationReference,
        waitsForStaff: false,
        parked: false,
        fundingAmount: 25_000,
        businessSector: BusinessSector.CONSTRUCTION,
        tradingDuration: TradingDuration.TRADING_DURATION_1_2_YEARS,
        duplicateOf: '',
      },
    ]);
    expect(Object.keys(submissions[0] ?? {})).toHaveLength(21);
    expect(nextPageToken).toBe('');
  });

  it('names the earlier submission of a duplicate, in the statement that reads the page', async () => {
    const [one, other] = [newId<AccountId>(), newId<AccountId>()];
    const enquiry = { email: `${randomUUID()}@example.test` };
    const earlier = await accepted({ accountId: one, externalReference: 'Ref 1', enquiry });
    await accepted({ accountId: other, enquiry });
    const query = jest.spyOn(service.context.pool, 'query');
    const { submissions } = await list({ accountId: other });
    expect(query).toHaveBeenCalledTimes(1);
    query.mockRestore();
    const named = { duplicateOf: earlier, duplicateAccountId: one, duplicateReference: 'Ref 1' };
    expect(submissions).toMatchObject([{ status: Status.DUPLICATE_NOT_ACCEPTED, ...named }]);
  });

  it('lists a submission that is erased or cannot be opened without its amount', async () => {
    const accountId = newId<AccountId>();
    const erased = await submitted({ accountId });
    const broken = await submitted({ accountId });
    const { pool } = service.context;
    await pool.query('UPDATE submission SET enquiry = NULL WHERE id = $1', [erased]);
    await pool.query(`UPDATE submission SET enquiry = '\\x00' WHERE id = $1`, [broken]);
    const { submissions } = await list({ accountId });
    expect(submissions.map(({ submissionId }) => submissionId)).toEqual([broken, erased]);
    for (const { fundingAmount, businessSector, tradingDuration } of submissions)
      expect([fundingAmount, businessSector, tradingDuration]).toEqual([undefined, 0, 0]);
  });

  it('lists the oldest first when requested, in pages without gaps, through every index', async () => {
    const accountId = newId<AccountId>();
    const requestId = randomUUID();
    const made: SubmissionId[] = [];
    for (let n = 0; n < 5; n += 1)
      made.push(
        await runInContext({ requestId, traceParent: '' }, () =>
          submitted({ accountId, terms: { decisionMode: 2 } }),
        ),
      );
    for (const filter of [
      { accountId },
      { accountId, environment: PRODUCTION },
      { requestId },
      { accountId, queues: [Queue.STAFF_DECISION] },
      { accountId, receivedSince: toTimestamp(new Date(Date.now() - 60_000)) },
    ])
      expect(await pagesOf({ ...filter, oldestFirst: true, pageSize: 2 })).toEqual([
        made.slice(0, 2),
        made.slice(2, 4),
        made.slice(4),
      ]);
  });
});
