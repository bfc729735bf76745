import { inTransaction } from '@supplier/lib/data/postgres';
import { forAllTests } from '@supplier/lib/testing';
import type { SubmissionId } from '@supplier/lib/text/ids';
import { Status } from '@supplier/proto/common/v1/status';
import { openTestService } from '../../testing/test-service.ts';
import { findExpired, summariseExpired } from './retention.sql.ts';

const service = forAllTests(() => openTestService());

const KEPT_SINCE = {
  accepted: new Date('2020-01-01T00:00:00Z'),
  notAccepted: new Date('2025-01-01T00:00:00Z'),
};
/** Before both times, between them, after both. */
const OLDEST = '2019-12-31T23:59:59.999Z';
const BETWEEN = '2024-12-31T23:59:59.999Z';
const NEWEST = '2025-01-01T00:00:00.000Z';

/** Months before each of them, so that a decision and its receipt are never past their retention together. */
const LONG_BEFORE = '2015-01-01T00:00:00Z';

/** Inserts a row with a status, decided at a time and received long before, or otherwise received at the time. */
async function rowOf(status: Status, time: string, { forStaff = false, parked = false } = {}) {
  const { id } = await service.submit();
  await service.context.pool.query(
    `UPDATE submission
        SET status = $2::int, received_at = CASE WHEN $2::int <> 1 THEN '${LONG_BEFORE}' ELSE $3::timestamptz END, decided_at = CASE WHEN $2::int <> 1 THEN $3::timestamptz END,
            returned_at = CASE WHEN $2::int = 5 THEN $3::timestamptz END, return_reason = CASE WHEN $2::int = 5 THEN 1 END,
            awaits_staff = $4, work_parked_at = CASE WHEN $5 THEN $3::timestamptz END
      WHERE id = $1`,
    [id, status, time, forStaff, parked],
  );
  return id;
}

const KINDS: Readonly<
  Record<keyof typeof Status, readonly (readonly [object, 'kept' | 'accepted' | 'not'])[]>
> = {
  UNSPECIFIED: [],
  RECEIVED: [
    [{}, 'kept'],
    [{ forStaff: true }, 'not'],
    [{ parked: true }, 'not'],
  ],
  ACCEPTED: [
    [{}, 'accepted'],
    [{ parked: true }, 'accepted'],
  ],
  DUPLICATE_NOT_ACCEPTED: [[{}, 'not']],
  REJECTED: [[{}, 'not']],
  RETURNED: [[{}, 'accepted']],
};
const CASES = Object.entries(KINDS).flatMap(([name, kinds]) =>
  kinds.map(([kind, kept]) => [name, kind, kept] as const),
);

describe('findExpired', () => {
  it.each(CASES)('finds submissions with status %s %j: %s', async (name, kind, kept) => {
    const status = Status[name as keyof typeof Status];
    const [oldest, between, newest] = [
      await rowOf(status, OLDEST, kind),
      await rowOf(status, BETWEEN, kind),
      await rowOf(status, NEWEST, kind),
    ];
    const due = { kept: [], accepted: [oldest], not: [oldest, between] }[kept] as SubmissionId[];
    const expired = await findExpired(service.context.pool, KEPT_SINCE, 1_000);
    const those = [oldest, between, newest];
    expect(expired.filter((id) => those.includes(id))).toEqual(due);
    const { groups } = await summariseExpired(
      service.context.pool,
      KEPT_SINCE,
      await accountOf(oldest),
      1_000,
    );
    expect(groups.map(({ accepted, count }) => [accepted, count])).toEqual(
      due.length > 0 ? [[kept === 'accepted', 1]] : [],
    );
  });

  it.each([
    ['2019-06-30T23:30:00Z', '2019-06'],
    ['2019-07-01T00:30:00Z', '2019-07'],
    ['2018-12-31T23:59:59.999Z', '2018-12'],
    ['2019-01-01T00:00:00Z', '2019-01'],
  ])('counts a submission of %s in the month %s of UTC, in every time zone', async (time, month) => {
    const accountId = await accountOf(await rowOf(Status.ACCEPTED, time));
    for (const zone of ['UTC', 'Pacific/Auckland', 'America/Los_Angeles']) {
      const { groups } = await inTransaction(service.context.pool, async (tx) => {
        await tx.query(`SET LOCAL TIME ZONE '${zone}'`);
        return summariseExpired(tx, KEPT_SINCE, accountId, 10);
      });
      expect(groups).toMatchObject([{ month, count: 1 }]);
    }
  });

  it('finds the longest expired first, then the lowest id, and all of them over several batches', async () => {
    const { pool } = service.context;
    const days = [3, 1, 1, 2, 1];
    const ids: SubmissionId[] = [];
    for (const place of days.keys())
      ids.push(await rowOf(place === 2 ? Status.REJECTED : Status.ACCEPTED, OLDEST));
    // Rows of one time are stored in the opposite order of their ids.
    for (const [place, day] of [...days.entries()].reverse())
      await pool.query('UPDATE submission SET decided_at = $2 WHERE id = $1', [
        ids[place],
        `2017-01-0${day}`,
      ]);
    const inOrder = [1, 2, 4, 3, 0].map((place) => ids[place]);
    const since = { accepted: new Date('2017-02-01'), notAccepted: new Date('2017-02-01') };
    for (const limit of [1, 2, 5])
      expect(await findExpired(pool, since, limit)).toEqual(inOrder.slice(0, limit));
    expect((await summariseExpired(pool, since, undefined, 10)).firstIds).toEqual(inOrder);
  });
});

const accountOf = async (id: SubmissionId) =>
  (await service.context.db.submission.findUniqueOrThrow({ where: { id } })).accountId as never;
