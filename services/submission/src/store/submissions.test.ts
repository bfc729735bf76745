import { countStatements, forAllTests } from '@supplier/lib/testing';
import { type AccountId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { Environment } from '@supplier/proto/common/v1/status';
import { openTestService } from '../../testing/test-service.ts';
import { BY_REFERENCES, submissionFinder } from './submissions.sql.ts';

let submitted: SubmissionId[];
const service = forAllTests(() => openTestService());
beforeAll(async () => {
  submitted = [];
  const environment = Environment.PRODUCTION;
  for (let n = 0; n < 5; n += 1) submitted.push((await service.submit({ environment })).id);
});

describe('submissionFinder', () => {
  it('answers concurrent reads, including absent ids, with one statement', async () => {
    const { byId } = submissionFinder(service.context.pool);
    const absent = newId<SubmissionId>();
    const counted = countStatements(service.context.pool);
    const found = await Promise.all([...submitted, absent, ...submitted].map((id) => byId(id, undefined)));
    expect(counted()).toBe(1);
    expect(found.map((state) => state?.id)).toEqual([...submitted, undefined, ...submitted]);
  });

  it("finds by reference within one account and environment, next to other accounts' reads", async () => {
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

  it('finds by reference using only the index on references, regardless of table statistics', async () => {
    const accountId = newId<AccountId>();
    const environment = Environment.SANDBOX;
    const { id } = await service.submitUndecided({ accountId, environment });
    const { pool } = service.context;
    // Adds many rows to the account before the planner has statistics for them, as after a burst.
    await pool.query('ALTER TABLE submission SET (autovacuum_enabled = false)');
    await pool.query(
      `INSERT INTO submission (id, account_id, environment, external_reference, level, status, awaits_staff, received_at,
                               billing_model, billing_status, not_billable_reason, changed_at, version, terms)
       SELECT gen_random_uuid(), account_id, environment, 'burst ' || n, level, status, awaits_staff, received_at,
              billing_model, billing_status, not_billable_reason, changed_at, version, terms
         FROM submission, generate_series(1, 2000) AS n WHERE id = $1`,
      [id],
    );
    const { rows } = await pool.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ${BY_REFERENCES}`,
      [[accountId], [environment], ['burst 7']],
    );
    const plan = rows.map((line) => line['QUERY PLAN']).join('\n');
    expect(plan).toContain('submission_account_id_environment_external_reference_key');
    const read = [...plan.matchAll(/(?:actual rows=|Removed by Filter: )([\d.]+)/g)].map(([, n]) =>
      Number(n),
    );
    expect(Math.max(...read)).toBe(1);
  });

  it("does not find another tenant's submission by id", async () => {
    const { byId } = submissionFinder(service.context.pool);
    const { accountId, environment } = (await byId(submitted[0]!, undefined))!;
    expect(await byId(submitted[0]!, { accountId, environment })).toBeDefined();
    expect(await byId(submitted[0]!, { accountId: newId<AccountId>(), environment })).toBeUndefined();
    expect(await byId(submitted[0]!, { accountId, environment: Environment.SANDBOX })).toBeUndefined();
  });

  it('fails only the read whose key the database refuses', async () => {
    const { byId } = submissionFinder(service.context.pool);
    const ids = [submitted[0]!, 'no uuid' as SubmissionId, submitted[1]!, submitted[2]!];
    const ends = await Promise.allSettled(ids.map((id) => byId(id, undefined)));
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  });
});
