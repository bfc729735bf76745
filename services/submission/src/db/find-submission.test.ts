import { type AccountId, newId, type SubmissionId } from '@supplier/lib/ids';
import { countStatements } from '@supplier/lib/testing';
import { Environment } from '@supplier/proto/common/v1/status';
import { openTestService, type TestService } from '../../testing/test-service.ts';
import { submissionFinder } from './find-submission.ts';

let service: TestService;
let submitted: SubmissionId[];
beforeAll(async () => {
  service = await openTestService();
  submitted = [];
  const environment = Environment.PRODUCTION;
  for (let n = 0; n < 5; n += 1) submitted.push((await service.submit({ environment })).id);
});
afterAll(() => service?.close());

describe('the search for submissions', () => {
  it('answers each of many that come at once, absent ones too, with three statements', async () => {
    const { byId } = submissionFinder(service.context.pool);
    const absent = newId<SubmissionId>();
    const counted = countStatements(service.context.pool);
    const found = await Promise.all([...submitted, absent, ...submitted].map((id) => byId(id, undefined)));
    expect(counted()).toBe(3);
    expect(found.map((state) => state?.id)).toEqual([...submitted, undefined, ...submitted]);
  });

  it("finds by reference within one account and environment, beside others' searches", async () => {
    const externalReference = 'shared reference';
    const accountIds = [newId<AccountId>(), newId<AccountId>()] as const;
    const environment = Environment.SANDBOX;
    const one = await service.submit({ externalReference, environment, accountId: accountIds[0] });
    const other = await service.submit({ externalReference, environment, accountId: accountIds[1] });
    const { byReference } = submissionFinder(service.context.pool);
    const tenants = [
      { accountId: accountIds[0], environment },
      { accountId: accountIds[1], environment },
      { accountId: accountIds[0], environment: Environment.PRODUCTION },
    ];
    const found = await Promise.all(tenants.map((tenant) => byReference(tenant, externalReference)));
    expect(found.map((submission) => submission?.state.id)).toEqual([one.id, other.id, undefined]);
    expect(found[0]?.bodyDigest).toHaveLength(32);
  });

  it("does not find another tenant's by id", async () => {
    const { byId } = submissionFinder(service.context.pool);
    const { accountId, environment } = (await byId(submitted[0]!, undefined))!;
    expect(await byId(submitted[0]!, { accountId, environment })).toBeDefined();
    expect(await byId(submitted[0]!, { accountId: newId<AccountId>(), environment })).toBeUndefined();
    expect(await byId(submitted[0]!, { accountId, environment: Environment.SANDBOX })).toBeUndefined();
  });

  it('lets a key that the database refuses fail alone', async () => {
    const { byId } = submissionFinder(service.context.pool);
    const ids = [submitted[0]!, 'no uuid' as SubmissionId, submitted[1]!, submitted[2]!];
    const ends = await Promise.allSettled(ids.map((id) => byId(id, undefined)));
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  });
});
