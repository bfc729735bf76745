import { type AccountId, newId } from '@supplier/lib/ids';
import { Environment } from '@supplier/proto/common/v1/status';
import { openSubmissionTests, type SubmissionTests } from '../../testing/submission-tests.ts';
import { Prisma } from './generated/client.ts';
import { matchQuery } from './match-candidates.ts';

let tests: SubmissionTests;
beforeAll(async () => {
  tests = await openSubmissionTests();
});
afterAll(() => tests?.close());

describe('the search for another submission of the same customer', () => {
  it('probes the indexes of the match keys and none of the account, whatever the planner knows of the table', async () => {
    const accountId = newId<AccountId>();
    const { id } = await tests.submit({ accountId, environment: Environment.SANDBOX });
    const { db } = tests.context;
    // Many rows of the account that nobody has counted yet, as after a burst.
    await db.$executeRaw`ALTER TABLE submission SET (autovacuum_enabled = false)`;
    await db.$executeRaw`
      INSERT INTO submission (id, account_id, environment, external_reference, level, status, awaits_staff, received_at,
                              billing_model, billing_status, not_billable_reason, changed_at, version, terms,
                              telephone_hash, email_hash)
      SELECT gen_random_uuid(), account_id, environment, 'burst ' || n, level, status, awaits_staff, received_at,
             billing_model, billing_status, not_billable_reason, changed_at, version, terms,
             sha256(int4send(n)), sha256(int4send(-n))
        FROM submission, generate_series(1, 5000) AS n WHERE id = ${id}::uuid`;
    const row = await db.submission.findUniqueOrThrow({ where: { id } });
    const plan = await db.$queryRaw<{ 'QUERY PLAN': string }[]>(
      Prisma.sql`EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ${matchQuery(row, 90)}`,
    );
    const text = plan.map((line) => line['QUERY PLAN']).join('\n');
    expect(text).toContain('submission_telephone_hash_idx');
    expect(text).toContain('submission_email_hash_idx');
    expect(text).not.toMatch(/Seq Scan|external_reference/);
    const removed = [...text.matchAll(/Rows Removed by Filter: (\d+)/g)].map(([, count]) => Number(count));
    expect(Math.max(0, ...removed)).toBeLessThan(10);
  });
});
