import { forEachTest, refused } from '@supplier/lib/testing';
import { type AccountId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { Environment, ReturnReasonCategory, Status } from '@supplier/proto/common/v1/status';
import { openTestService } from '../../testing/test-service.ts';
import { foldIntake as foldingSweep } from './get-intake.ts';
import { foldIntake } from './intake.sql.ts';

const { SANDBOX, PRODUCTION } = Environment;
const RANGE = { fromDay: '2026-11-01', untilDay: '2026-11-30', environment: PRODUCTION };
const NONE = { undecided: 0n, accepted: 0n, duplicates: 0n, rejected: 0n, returned: 0n };

const service = forEachTest(() => openTestService());

const intake = (request: object = {}) => service.staff.getIntake({ ...RANGE, ...request });
const fold = () => foldIntake(service.context.workPool, 1_000);
const giveBack = (submissionId: SubmissionId) =>
  service.staff.returnSubmission({ submissionId, reasonCategory: ReturnReasonCategory.OVERDUE_FILINGS });
const onDay = async (day: string, request = {}) =>
  (await intake(request)).days.find((one) => one.day === day);

/** Returns plain row counts for the range, by day. */
async function counted(): Promise<Record<string, object>> {
  const { rows } = await service.context.pool.query<{ day: string; status: Status; count: number }>(
    `SELECT (received_at AT TIME ZONE 'UTC')::date::text AS day, status, count(*)::int FROM submission
      WHERE environment = 2 GROUP BY 1, 2`,
  );
  const days: Record<string, Record<string, bigint>> = {};
  const names = ['', 'undecided', 'accepted', 'duplicates', 'rejected', 'returned'];
  for (const { day, status, count } of rows) {
    days[day] ??= { ...NONE };
    (days[day] as Record<string, bigint>)[names[status] ?? ''] = BigInt(count);
  }
  return days;
}

const figures = async () =>
  Object.fromEntries(
    (await intake()).days
      .map(({ day, undecided, accepted, duplicates, rejected, returned }) => ({
        day,
        counts: { undecided, accepted, duplicates, rejected, returned },
      }))
      .filter(({ counts }) => Object.values(counts).some((count) => count > 0n))
      .map(({ day, counts }) => [day, counts]),
  );

describe('GetIntake', () => {
  it('counts a submission on its day in UTC, in summer, around both changes of the hour, and decided on the next', async () => {
    for (const [received, decided] of [
      ['2026-07-01T23:30:00Z', '2026-07-02T00:10:00Z'],
      ['2026-10-24T23:30:00Z', '2026-10-25T01:30:00Z'],
      ['2026-03-28T23:30:00Z', '2026-03-29T01:30:00Z'],
      ['2026-01-01T11:30:00Z', '2026-01-02T00:00:00Z'],
    ] as const) {
      const day = received.slice(0, 10);
      const range = { fromDay: day, untilDay: decided.slice(0, 10) };
      service.at(received);
      await service.submit();
      const { id } = await service.submitUndecided();
      expect(await onDay(day, range)).toMatchObject({ accepted: 1n, undecided: 1n });
      service.at(decided);
      await service.decide(id);
      for (const folded of [false, true]) {
        if (folded) await fold();
        const { days } = await intake(range);
        expect(days.map((one) => one.accepted)).toEqual(days.map((one) => (one.day === day ? 2n : 0n)));
        expect(days.map(({ undecided }) => undecided)).toEqual(days.map(() => 0n));
      }
    }
  });

  it('matches plain row counts before, between and after folds', async () => {
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    const accounts = [newId<AccountId>(), newId<AccountId>(), newId<AccountId>()];
    const accepted: SubmissionId[] = [];
    const undecided: SubmissionId[] = [];
    for (let step = 0; step < 60; step += 1) {
      service.at(`2026-11-${String(10 + Math.floor(step / 8)).padStart(2, '0')}T23:59:59.900Z`);
      const accountId = accounts[random(3)] ?? newId<AccountId>();
      const environment = random(5) === 0 ? SANDBOX : PRODUCTION;
      const act = random(6);
      if (act === 0) undecided.push((await service.submitUndecided({ accountId, environment })).id);
      else if (act === 1 && undecided.length > 0) await service.decide(undecided.pop() as SubmissionId);
      else if (act === 2 && accepted.length > 0) await giveBack(accepted.pop() as SubmissionId);
      else {
        const enquiry = random(4) === 0 ? { email: 'same@example.test' } : undefined;
        const { id } = await service.submit({ accountId, environment, ...(enquiry ? { enquiry } : {}) });
        if ((await service.statusOf(id)) === Status.ACCEPTED) accepted.push(id);
      }
      if (random(9) === 0) await fold();
      if (step % 10 === 9) expect(await figures()).toEqual(await counted());
    }
    await fold();
    expect(await fold()).toBe(0);
    expect(await figures()).toEqual(await counted());
  });

  it('counts by the day of receipt, and recounts a submission on that day when it is returned later', async () => {
    service.at('2026-11-05T23:59:59.999Z');
    const { id } = await service.submit();
    service.at('2026-11-06T00:00:00.000Z');
    await service.submit();
    await fold();
    expect(await onDay('2026-11-05')).toMatchObject({ ...NONE, accepted: 1n });
    service.at('2026-11-20T10:00:00Z');
    await giveBack(id);
    expect(await onDay('2026-11-05')).toMatchObject({ ...NONE, returned: 1n });
    expect(await onDay('2026-11-06')).toMatchObject({ ...NONE, accepted: 1n });
    expect(await onDay('2026-11-20')).toMatchObject(NONE);
  });

  it('reports decision times for a day and for the range, within a tenth', async () => {
    const accountId = newId<AccountId>();
    for (const seconds of [1, 2, 3, 600]) {
      service.at('2026-11-05T10:00:00Z');
      const { id } = await service.submitUndecided({ accountId });
      service.at(new Date(Date.parse('2026-11-05T10:00:00Z') + seconds * 1_000).toISOString());
      await service.decide(id);
    }
    for (const isFolded of [false, true]) {
      if (isFolded) await fold();
      for (const request of [{}, { accountId }]) {
        const { days, decisionP50Ms, decisionP95Ms } = await intake(request);
        const day = days.find((one) => one.day === '2026-11-05');
        expect(day).toMatchObject({ decisionP50Ms, decisionP95Ms });
        expect(Number(decisionP50Ms)).toBeGreaterThanOrEqual(2_000);
        expect(Number(decisionP50Ms)).toBeLessThanOrEqual(2_200);
        expect(Number(decisionP95Ms)).toBeGreaterThanOrEqual(600_000);
        expect(Number(decisionP95Ms)).toBeLessThanOrEqual(660_000);
        expect(days.find((one) => one.day === '2026-11-06')?.decisionP50Ms).toBeUndefined();
      }
      for (const other of [{ accountId: newId() }, { environment: SANDBOX }])
        expect((await intake(other)).decisionP50Ms).toBeUndefined();
    }
  });

  it('lists accounts separately, largest first, with their usage of caps', async () => {
    const [one, other] = [newId<AccountId>(), newId<AccountId>()];
    service.at('2026-11-19T10:00:00Z');
    await service.submit({ accountId: one });
    service.at('2026-11-20T10:00:00Z');
    await service.submit({ accountId: other });
    await service.submit({ accountId: one });
    await service.submit({ accountId: one, environment: SANDBOX });
    const { accounts } = await intake();
    expect(accounts).toMatchObject([
      { ...NONE, accountId: one, accepted: 2n, acceptedToday: 1n, acceptedThisMonth: 2n },
      { ...NONE, accountId: other, accepted: 1n, acceptedToday: 1n, acceptedThisMonth: 1n },
    ]);
    const idle = newId<AccountId>();
    for (const isFolded of [false, true]) {
      if (isFolded) await fold();
      const of = async (accountId: AccountId) => (await intake({ accountId })).accounts;
      expect(await of(other)).toMatchObject([{ ...NONE, accountId: other, accepted: 1n }]);
      expect(await of(idle)).toMatchObject([{ ...NONE, accountId: idle }]);
      expect(await onDay('2026-11-20', { accountId: other })).toMatchObject({ accepted: 1n });
      expect(await onDay('2026-11-20', { environment: SANDBOX })).toMatchObject({ accepted: 1n });
    }
  });

  it('returns at most 50 accounts, and every day of the range', async () => {
    await service.context.pool.query(
      `INSERT INTO intake_count (environment, day, account_id, status, submissions)
       SELECT 2, '2026-11-05', gen_random_uuid(), 2, n FROM generate_series(1, 60) n`,
    );
    const { accounts, days } = await intake();
    expect(accounts.map(({ accepted }) => accepted)).toEqual(
      Array.from({ length: 50 }, (_, n) => BigInt(60 - n)),
    );
    expect(days.map(({ day }) => day)).toHaveLength(30);
    expect(days[4]).toMatchObject({ day: '2026-11-05', accepted: 1_830n });
  });
});

it.each([
  [{ fromDay: '2026-11-31' }, 'from_day'],
  [{ untilDay: '2026-10-31' }, 'until_day'],
  [{ untilDay: '2027-02-01' }, 'until_day'],
  [{ accountId: 'x' }, 'account_id'],
])('GetIntake rejects %j', async (range, path) => {
  expect(await refused(intake(range))).toMatchObject({ refusal: 'VALIDATION_ERROR', paths: [path] });
});

describe('folding notes', () => {
  it('changes nothing when interrupted, and the next fold counts everything once', async () => {
    await service.submit();
    const { pool } = service.context;
    const client = await pool.connect();
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await client.query('BEGIN');
    expect(await foldIntake(client, 1_000)).toBeGreaterThan(0);
    // Another replica neither waits nor counts meanwhile. Readers see committed data.
    expect(await fold()).toBe(0);
    expect(await figures()).toEqual(await counted());
    const broken = new Promise((resolve) => client.on('error', resolve));
    await pool.query('SELECT pg_terminate_backend($1, 10000)', [rows[0]?.pid]);
    await broken;
    client.release(true);
    expect(await figures()).toEqual(await counted());
    expect(await fold()).toBeGreaterThan(0);
    expect(await figures()).toEqual(await counted());
  });

  it('counts everything once when several run concurrently, in steps of bounded size', async () => {
    for (let n = 0; n < 8; n += 1) await service.submit();
    const steps = async () => {
      for (let found = 1; found > 0; ) {
        found = await foldIntake(service.context.workPool, 3);
        expect(found).toBeLessThanOrEqual(3);
      }
    };
    await Promise.all([steps(), steps(), steps()]);
    await steps();
    expect(await service.context.db.intakeCount.aggregate({ _sum: { submissions: true } })).toEqual({
      _sum: { submissions: 8n },
    });
    expect(await figures()).toEqual(await counted());
  });

  it('continues at once while more than 10,000 are left', async () => {
    await service.context.pool.query(
      `INSERT INTO intake_note (environment, day, account_id, status, submissions)
       SELECT 2, '2026-11-05', $1, 2, 1 FROM generate_series(1, 20001)`,
      [newId<AccountId>()],
    );
    const runs = [];
    for (let run = 0; run < 3; run += 1) runs.push(await foldingSweep.run(service.context));
    expect(runs.map(({ more }) => more)).toEqual([true, true, false]);
    expect(await onDay('2026-11-05')).toMatchObject({ accepted: 20_001n });
  });
});
