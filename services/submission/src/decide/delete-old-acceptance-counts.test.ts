import { forEachTest } from '@supplier/lib/testing';
import { type AccountId, newId } from '@supplier/lib/text/ids';
import { Status } from '@supplier/proto/common/v1/status';
import { openTestService } from '../../testing/test-service.ts';
import { deleteOldAcceptanceCounts } from './decide-received.ts';

const service = forEachTest(() => openTestService());

const count = (...days: string[]) =>
  service.context.pool.query(
    `INSERT INTO acceptance_count (account_id, environment, day, slot, accepted)
     SELECT gen_random_uuid(), 2, day, 0, 1 FROM unnest($1::date[]) AS day`,
    [days],
  );
const daysLeft = async () =>
  (
    await service.context.pool.query<{ day: string }>('SELECT day::text FROM acceptance_count ORDER BY 1')
  ).rows.map(({ day }) => day);
const sweep = () => deleteOldAcceptanceCounts.run(service.context);

describe('acceptance counts', () => {
  it('are deleted when their day is before the previous month, and no earlier', async () => {
    await count(
      '2024-02-29',
      '2026-09-29',
      '2026-09-30',
      '2026-10-01',
      '2026-10-31',
      '2026-11-01',
      '2026-11-20',
    );
    service.at('2026-11-20T10:00:00Z');
    expect(await sweep()).toEqual({ count: 3, more: false });
    expect(await daysLeft()).toEqual(['2026-10-01', '2026-10-31', '2026-11-01', '2026-11-20']);
    service.at('2026-11-30T23:59:59.999Z');
    expect(await sweep()).toEqual({ count: 0, more: false });
    service.at('2026-12-01T00:00:00Z');
    expect(await sweep()).toEqual({ count: 2, more: false });
    service.at('2027-01-01T00:00:00Z');
    expect(await sweep()).toEqual({ count: 2, more: false });
  });

  it('are deleted in batches of 5,000, one after the other', async () => {
    await count(...Array<string>(10_001).fill('2024-02-29'));
    service.at('2026-11-20T10:00:00Z');
    const runs = [await sweep(), await sweep(), await sweep()];
    expect(runs).toEqual([5_000, 5_000, 1].map((deleted) => ({ count: deleted, more: deleted > 1 })));
  });

  it('keep enforcing a cap of the current month after the deletion', async () => {
    const accountId = newId<AccountId>();
    const terms = { caps: { acceptedPerMonth: 1 } };
    service.at('2026-11-02T10:00:00Z');
    const first = await service.submit({ accountId, terms });
    await service.decide(first.id);
    service.at('2026-11-30T10:00:00Z');
    await sweep();
    const second = await service.submit({ accountId, terms });
    await service.decide(second.id);
    expect(await service.statusOf(first.id)).toBe(Status.ACCEPTED);
    expect(await service.statusOf(second.id)).toBe(Status.REJECTED);
  });
});
