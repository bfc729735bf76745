import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import { isDependencyUnavailable } from '@supplier/lib/data/dependency';
import { inProcessClient } from '@supplier/lib/testing';
import { type AccountId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import {
  BillingModel,
  BillingStatus,
  Environment,
  NotBillableReason,
  Status,
} from '@supplier/proto/common/v1/status';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { submissionClient, submissionQueries } from './submission-client.ts';

const AT = new Date('2026-11-01T10:00:00.111Z');

type ListBilling = ServiceImpl<typeof SubmissionService>['listBilling'];

/** Builds the queries over a fake submission service with this handler. */
function queriesTo(listBilling: ListBilling) {
  const client = inProcessClient(
    SubmissionService,
    (router) => router.service(SubmissionService, { listBilling }),
    {
      caller: { subject: 'billing', issuer: 'test', roles: ['service:billing'] },
    },
  );
  return submissionQueries(client);
}

it('referencesOf reads the references of any number of submissions, 1,000 at a time and each once', async () => {
  const listed: number[] = [];
  const queries = queriesTo(({ submissionIds }) => {
    listed.push(submissionIds.length);
    return { submissions: submissionIds.map((id) => ({ submissionId: id, externalReference: `of ${id}` })) };
  });
  const ids = Array.from({ length: 2_030 }, () => newId<SubmissionId>());
  expect(await queries.referencesOf([...ids, ...ids])).toEqual(new Map(ids.map((id) => [id, `of ${id}`])));
  expect(listed).toEqual([1_000, 1_000, 30]);
});

describe('billingOf', () => {
  const submissionId = newId<SubmissionId>();

  it('requests one submission and returns its billing', async () => {
    const asked: string[][] = [];
    const { billingOf } = queriesTo(({ submissionIds }) => {
      asked.push(submissionIds);
      return { submissions: [{ submissionId, accountId: 'some account' }] };
    });
    expect(await billingOf(submissionId)).toMatchObject({ submissionId, accountId: 'some account' });
    expect(asked).toEqual([[submissionId]]);
  });

  it('returns undefined for an unknown submission', async () => {
    expect(await queriesTo(() => ({ submissions: [] })).billingOf(submissionId)).toBeUndefined();
  });

  it('throws UNAVAILABLE while the submission service is unreachable or fails', async () => {
    for (const code of [Code.Unavailable, Code.Internal]) {
      const { billingOf } = queriesTo(() => {
        throw new ConnectError('away', code);
      });
      await expect(billingOf(submissionId)).rejects.toMatchObject({ code: Code.Unavailable });
    }
    const unreachable = submissionClient('http://127.0.0.1:9', { tokens: { tokenFor: async () => 'a.b.c' } });
    const error = await unreachable.billingOf(submissionId).catch((cause: unknown) => cause);
    expect(isDependencyUnavailable(error)).toBe(true);
  });
});

describe('listBilled', () => {
  const submission = {
    submissionId: newId<SubmissionId>(),
    accountId: newId<AccountId>(),
    environment: Environment.PRODUCTION,
  };
  const billingModel = BillingModel.APPLICATION_CREATED;
  const { BILLABLE, NOT_BILLABLE, PENDING } = BillingStatus;

  it('returns the billable time, or the return time of a returned submission', async () => {
    const { listBilled } = queriesTo(() => ({
      submissions: [
        {
          ...submission,
          status: Status.ACCEPTED,
          billing: { billingModel, billingStatus: BILLABLE, billableAt: toTimestamp(AT) },
        },
        {
          ...submission,
          status: Status.RETURNED,
          returnedAt: toTimestamp(AT),
          billing: {
            billingModel,
            billingStatus: NOT_BILLABLE,
            notBillableReason: NotBillableReason.RETURNED,
          },
        },
        { ...submission, status: Status.RECEIVED, billing: { billingModel, billingStatus: PENDING } },
      ],
    }));
    const { environment: _, ...facts } = submission;
    const state = {
      ...facts,
      billingModel: 'application_created',
      billableAt: null,
      returnedAt: null,
      isProduction: true,
    };
    expect(await listBilled([submission.submissionId])).toEqual([
      { ...state, billableAt: AT },
      { ...state, returnedAt: AT },
      state,
    ]);
  });

  it('throws UNAVAILABLE while the submission service fails', async () => {
    const { listBilled } = queriesTo(() => {
      throw new ConnectError('away', Code.Internal);
    });
    await expect(listBilled([submission.submissionId])).rejects.toMatchObject({ code: Code.Unavailable });
  });

  it('throws when a submission lacks its billing', async () => {
    const { listBilled } = queriesTo(() => ({ submissions: [submission] }));
    await expect(listBilled([submission.submissionId])).rejects.toThrow('billing missing');
  });
});
