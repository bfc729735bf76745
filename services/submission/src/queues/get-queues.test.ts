import { type AccountId, newId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { Environment } from '@supplier/proto/common/v1/status';
import { Queue } from '@supplier/proto/submission/v1/queues';
import { openTestService } from '../../testing/test-service.ts';

describe('GetQueues', () => {
  it('counts the submissions of one environment', async () => {
    const other = await openTestService();
    const undecided = { terms: { decisionMode: 2 } };
    await other.submit({ ...undecided, environment: Environment.SANDBOX });
    await other.submit({ ...undecided, environment: Environment.PRODUCTION });
    await other.submit({ ...undecided, environment: Environment.PRODUCTION });
    const { SANDBOX, PRODUCTION, UNSPECIFIED } = Environment;
    const counts = await Promise.all(
      [SANDBOX, PRODUCTION, UNSPECIFIED].map(async (environment) => {
        const { queues } = await other.staff.getQueues({ environment });
        return queues.find(({ queue }) => queue === Queue.STAFF_DECISION)?.count;
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
});
