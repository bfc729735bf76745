import { randomBytes } from 'node:crypto';
import { eventually, forAllTests, refused } from '@supplier/lib/testing';
import { type AccountId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { Environment, Level, Status } from '@supplier/proto/common/v1/status';
import pg from 'pg';
import { openTestService } from '../../testing/test-service.ts';
import { lockKeysOf } from '../decide/decision-facts.sql.ts';
import { capKey } from '../model/decide-all.ts';

const service = forAllTests(() => openTestService());

let customers = 0;
const customer = () => {
  customers += 1;
  return { telephone: `0161 496 ${String(customers).padStart(4, '0')}` };
};

async function lockCustomerOf(client: pg.PoolClient, id: SubmissionId): Promise<void> {
  const row = await service.context.db.submission.findUniqueOrThrow({ where: { id } });
  const keys = lockKeysOf([{ ...row, accountId: row.accountId as AccountId, hashesUnderOtherKeys: [] }]);
  await client.query('SELECT pg_advisory_xact_lock(k) FROM unnest($1::bigint[]) AS u(k)', [keys]);
}

/** Starts a transaction that holds the locks of this submission's customer until it is released. */
async function holdCustomerOf(id: SubmissionId) {
  const client = await service.context.pool.connect();
  await client.query('BEGIN');
  await lockCustomerOf(client, id);
  return async () => {
    await client.query('COMMIT');
    client.release();
  };
}

/** The gateway times out after 4.5 s, and one attempt at a lock takes up to 0.5 s. */
const GIVE_UP_AFTER_MS = 3_500;

/** Expects a create that is blocked by a lock to keep trying until its time is up, and to be rejected then. */
async function givenUpInTime(create: Promise<unknown>): Promise<void> {
  let isDone = false;
  const done = create.finally(() => {
    isDone = true;
  });
  await nextTry(() => isDone);
  service.elapse(GIVE_UP_AFTER_MS - 1);
  await nextTry(() => isDone);
  await nextTry(() => isDone);
  expect(isDone).toBe(false);
  service.elapse(1);
  expect(await done).toMatchObject({ refusal: 'SERVICE_UNAVAILABLE' });
}

/** Resolves when another transaction starts waiting for a lock, or when none will. */
async function nextTry(isDone: () => boolean): Promise<void> {
  const tries = async () => {
    const { rows } = await service.context.pool.query<{ pid: number; xact_start: string }>(
      `SELECT pid, xact_start::text FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return JSON.stringify(rows);
  };
  const before = await tries();
  await eventually(
    'the next try waits for a lock',
    async () => isDone() || ![before, '[]'].includes(await tries()),
  );
}

describe.each([
  ['basic', Level.BASIC],
  ['application', Level.APPLICATION],
] as const)('creates at level %s', (_, level) => {
  it('records creates for other customers while one customer is locked, and the blocked ones once it is free', async () => {
    const enquiry = customer();
    const release = await holdCustomerOf((await service.submit({ level, enquiry })).id);
    // The first two take the lanes; the others form one group.
    const held = [1, 2, 3].map(() => service.submit({ level, enquiry }));
    const strangers = Array.from({ length: 20 }, () => service.submit({ level, enquiry: customer() }));
    for (const { created } of await Promise.all(strangers)) expect(created).toBe(true);
    await release();
    for (const { created } of await Promise.all(held)) expect(created).toBe(true);
  });
});

it('a create whose customer stays locked is rejected as unavailable before its caller times out, and stores nothing', async () => {
  const enquiry = customer();
  const release = await holdCustomerOf((await service.submit({ enquiry })).id);
  const externalReference = 'behind-a-lock';
  await givenUpInTime(refused(service.submit({ enquiry, externalReference })));
  await release();
  expect(await service.context.db.submission.count({ where: { externalReference } })).toBe(0);
});

it.each([
  ['gives way before the deadlock check', '1s'],
  ['is the victim of the deadlock check', '300ms'],
])(
  'a create that the previous release also records, with locks in the opposite order, %s, and returns the recorded state',
  async (_, deadlockTimeout) => {
    const { pool, keyRing } = service.context;
    const options = `-c deadlock_timeout=${deadlockTimeout}`;
    const replica = await openTestService({
      pool: new pg.Pool({ connectionString: pool.options.connectionString, options, pipeline: true }),
      keyRing,
    });
    const accountId = newId<AccountId>();
    const submitted = { accountId, level: Level.BASIC, enquiry: customer(), body: randomBytes(32) } as const;
    const { id } = await service.submit(submitted);
    const externalReference = `on both releases, ${deadlockTimeout}`;
    const other = newId<SubmissionId>();
    const before = await pool.connect();
    await before.query('BEGIN');
    // Locks the row first, then the customer.
    await before.query(
      `INSERT INTO submission
     SELECT (jsonb_populate_record(s, jsonb_build_object('id', $2::uuid, 'external_reference', $3::text))).*
       FROM submission s WHERE id = $1`,
      [id, other, externalReference],
    );
    const created = replica.submit({ ...submitted, externalReference });
    await eventually('the create waits for the reference', async () => {
      const { rows } = await pool.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'transactionid'`,
      );
      return rows.length > 0;
    });
    await lockCustomerOf(before, id);
    await before.query('COMMIT');
    before.release();
    expect(await created).toMatchObject({ id: other, created: false });
    await replica.close();
    await replica.context.pool.end();
  },
);

it('a create whose customer has an earlier unreadable submission is recorded, and decided later by the workers', async () => {
  const enquiry = customer();
  const bad = await service.submitUndecided({ enquiry });
  await service.context.pool.query(
    String.raw`UPDATE submission SET enquiry = enquiry || '\x00' WHERE id = $1`,
    [bad.id],
  );
  let woken = 0;
  service.context.wakes.connect({
    undecided: () => {
      woken += 1;
    },
  });
  const accountId = newId<AccountId>();
  const again = {
    accountId,
    externalReference: 'behind-a-bad-one',
    level: Level.BASIC,
    body: randomBytes(32),
  } as const;
  const { created, submission } = await service.submit({ ...again, enquiry });
  expect({ created, status: submission.status }).toEqual({ created: true, status: Status.RECEIVED });
  expect(woken).toBeGreaterThan(0);
  expect(await service.submit({ ...again, enquiry })).toMatchObject({ created: false });
});

it('a create at application level is decided, but returned as received', async () => {
  const { id, submission } = await service.submit();
  expect(submission.status).toBe(Status.RECEIVED);
  expect(await service.statusOf(id)).toBe(Status.ACCEPTED);
  const { db } = service.context;
  const row = await db.submission.findUniqueOrThrow({ where: { id }, include: { application: true } });
  expect(row.decidedAt?.getTime()).toBeGreaterThan(row.receivedAt.getTime());
  expect(row.application?.reference).toBe(row.applicationReference);
});

it('a create whose cap stays locked is recorded, and decided later by the workers', async () => {
  const accountId = newId<AccountId>();
  const terms = { caps: { acceptedPerDay: 1 } };
  const client = await service.context.pool.connect();
  await client.query('BEGIN');
  await client.query("SELECT pg_advisory_xact_lock(hashtextextended('cap/' || $1, 0))", [
    capKey({ accountId, environment: Environment.PRODUCTION }),
  ]);
  const made = await Promise.all([1, 2].map(() => service.submit({ accountId, terms })));
  const statuses = () => Promise.all(made.map(({ id }) => service.statusOf(id)));
  expect(await statuses()).toEqual([Status.RECEIVED, Status.RECEIVED]);
  await client.query('COMMIT');
  client.release();
  for (const { id } of made) await service.decide(id);
  expect((await statuses()).sort()).toEqual([Status.ACCEPTED, Status.REJECTED].sort());
});

it('replays in a group get the recorded state, without delaying the others', async () => {
  const accountId = newId<AccountId>();
  const same = { accountId, externalReference: 'again', body: randomBytes(32), enquiry: customer() };
  const { id } = await service.submit(same);
  const twice = { accountId, externalReference: 'twice', body: randomBytes(32), enquiry: customer() };
  const all = [same, twice, twice, ...Array.from({ length: 20 }, () => ({ enquiry: customer() }))];
  const made = await Promise.all(all.map((options) => service.submit(options)));
  expect(made[0]).toMatchObject({ id, created: false });
  expect([made[1]?.created, made[2]?.created].sort()).toEqual([false, true]);
  expect(made[1]?.id).toBe(made[2]?.id);
  const others = made.slice(3);
  expect(others.every(({ created }) => created)).toBe(true);
  const statuses = await Promise.all([made[1], ...others].map((one) => service.statusOf(one!.id)));
  expect(new Set(statuses)).toEqual(new Set([Status.ACCEPTED]));
});

it('a create without match keys waits no longer for its reference than any other', async () => {
  const { pool } = service.context;
  const accountId = newId<AccountId>();
  const nobody = { companyNumber: 'N/A', telephone: '0', email: 'n/a' };
  const { id } = await service.submit({ accountId, enquiry: nobody });
  const externalReference = 'held by another';
  const client = await pool.connect();
  await client.query('BEGIN');
  await client.query(
    `INSERT INTO submission
     SELECT (jsonb_populate_record(s, jsonb_build_object('id', $2::uuid, 'external_reference', $3::text))).*
       FROM submission s WHERE id = $1`,
    [id, newId(), externalReference],
  );
  await givenUpInTime(refused(service.submit({ accountId, externalReference, enquiry: nobody })));
  await client.query('ROLLBACK');
  client.release();
});

it('creates that have waited for a second are recorded first, and decided later', async () => {
  const gate = Promise.withResolvers<void>();
  let waiting = 0;
  const slow = await openTestService({
    beside: service,
    keyRing: service.context.keyRing,
    through: (pool) =>
      new Proxy(pool, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name);
          if (typeof value !== 'function') return value;
          if (name !== 'connect') return value.bind(target);
          return async () => {
            waiting += 1;
            await gate.promise;
            return target.connect();
          };
        },
      }),
  });
  const create = () => slow.submit({ enquiry: customer() });
  const first = create();
  await eventually('the first takes a lane', () => waiting === 1);
  const second = create();
  await eventually('the second takes the other', () => waiting === 2);
  const third = create();
  await new Promise(setImmediate);
  slow.elapse(1_000);
  gate.resolve();
  const statuses = await Promise.all(
    [first, second, third].map(async (made) => service.statusOf((await made).id)),
  );
  expect(statuses).toEqual([Status.ACCEPTED, Status.ACCEPTED, Status.RECEIVED]);
  await service.decide((await third).id);
  expect(await service.statusOf((await third).id)).toBe(Status.ACCEPTED);
  await slow.close();
});
