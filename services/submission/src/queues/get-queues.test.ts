import { type AccountId, newId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { ScreeningResult } from '@supplier/proto/common/v1/enquiry';
import { DecisionMode, PreUnderwritingFailure } from '@supplier/proto/common/v1/principal';
import { Environment } from '@supplier/proto/common/v1/status';
import { Queue } from '@supplier/proto/submission/v1/queues';
import { openTestService } from '../../testing/test-service.ts';

describe('GetQueues', () => {
  it.each([
    [Queue.STAFF_DECISION, { decisionMode: DecisionMode.STAFF }],
    [Queue.STAFF_PRE_UNDERWRITING, { preUnderwritingFailure: PreUnderwritingFailure.QUEUE_FOR_STAFF }],
  ])('counts the submissions of one environment in queue %i', async (counted, terms) => {
    const other = await openTestService();
    const enquiry = { creditScreening: { provider: 'p', unsatisfiedCcjs: ScreeningResult.FAIL } };
    const { SANDBOX, PRODUCTION, UNSPECIFIED } = Environment;
    for (const environment of [SANDBOX, PRODUCTION, PRODUCTION] as const)
      await other.submit({ environment, enquiry, terms });
    await other.work();
    const counts = await Promise.all(
      [SANDBOX, PRODUCTION, UNSPECIFIED].map(async (environment) => {
        const { queues } = await other.staff.getQueues({ environment });
        return queues.find(({ queue }) => queue === counted)?.count;
      }),
    );
    expect(counts).toEqual([1n, 2n, 3n]);
    await other.close();
  });

  it('counts up to 10,000 and returns the age of the oldest', async () => {
    const other = await openTestService();
    const accountId = newId<AccountId>();
    const queues = async () => (await other.staff.getQueues({})).queues;
    expect((await queues()).map(({ queue, count, oldestSince }) => [queue, count, oldestSince])).toEqual(
      [1, 2, 3, 4, 5, 6].map((queue) => [queue, 0n, undefined]),
    );
    other.at('2026-11-20T10:00:00Z');
    await other.submit({ accountId, terms: { decisionMode: 2 } });
    other.at('2026-11-20T10:01:00Z');
    const later = await other.submit({ accountId, terms: { decisionMode: 2 } });
    other.at('2026-11-20T10:02:05.900Z');
    expect((await queues())[0]).toMatchObject({
      queue: Queue.STAFF_DECISION,
      count: 2n,
      atLeast: false,
      oldestSince: toTimestamp(new Date('2026-11-20T10:00:00Z')),
      oldestAgeSeconds: 125n,
    });
    await other.context.pool.query(
      `INSERT INTO submission SELECT (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(),
         'external_reference', gen_random_uuid()))).* FROM submission t, generate_series(1, 10000) WHERE id = $1`,
      [later.id],
    );
    expect((await queues())[0]).toMatchObject({ count: 10_000n, atLeast: true, oldestAgeSeconds: 125n });
    await other.close();
  });

  it('returns the longest wait for a decision, even if 10,001 later ones are due earlier', async () => {
    const other = await openTestService();
    other.at('2026-11-20T10:00:00Z');
    const { id } = await other.submit({ terms: { decisionMode: 2 } });
    const { pool } = other.context;
    await pool.query(
      "UPDATE submission SET awaits_staff = false, work_due_at = '2026-11-20T10:05Z' WHERE id = $1",
      [id],
    );
    await pool.query(
      `INSERT INTO submission SELECT (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(),
         'external_reference', gen_random_uuid(), 'received_at', '2026-11-20T10:01Z', 'work_due_at', '2026-11-20T10:01Z'))).*
         FROM submission t, generate_series(1, 10001) WHERE id = $1`,
      [id],
    );
    const { queues } = await other.staff.getQueues({});
    expect(queues.find(({ queue }) => queue === Queue.DECISION)).toMatchObject({
      count: 10_000n,
      oldestSince: toTimestamp(new Date('2026-11-20T10:00:00Z')),
    });
    await other.close();
  });
});
