import type { AccountId, SubmissionId } from '@supplier/lib/ids';
import { refused } from '@supplier/lib/testing';
import { Level } from '@supplier/proto/common/v1/status';
import { openTestService, type TestService } from '../../testing/test-service.ts';
import { lockKeysOf } from '../db/match-key-locks.ts';

let service: TestService;
beforeAll(async () => {
  service = await openTestService();
});
afterAll(() => service?.close());

let customers = 0;
const customer = () => {
  customers += 1;
  return { telephone: `0161 496 ${String(customers).padStart(4, '0')}` };
};

/** A transaction that has the locks of the customer of this submission, until it is told to end. */
async function holdCustomerOf(id: SubmissionId) {
  const row = await service.context.db.submission.findUniqueOrThrow({ where: { id } });
  const keys = lockKeysOf([{ ...row, accountId: row.accountId as AccountId, hashesUnderOtherKeys: [] }]);
  const client = await service.context.pool.connect();
  await client.query('BEGIN');
  await client.query('SELECT pg_advisory_xact_lock(k) FROM unnest($1::bigint[]) AS u(k)', [keys]);
  return async () => {
    await client.query('COMMIT');
    client.release();
  };
}

describe.each([
  ['basic', Level.BASIC],
  ['application', Level.APPLICATION],
] as const)('creates at level %s', (_, level) => {
  it('are held up by no stranger whose customer somebody has locked; his are recorded when it is free', async () => {
    const enquiry = customer();
    const release = await holdCustomerOf((await service.submit({ level, enquiry })).id);
    // The first two take the lanes; the others are one group.
    const held = [1, 2, 3].map(() => service.submit({ level, enquiry }));
    const strangers = Array.from({ length: 20 }, () => service.submit({ level, enquiry: customer() }));
    for (const { created } of await Promise.all(strangers)) expect(created).toBe(true);
    await release();
    for (const { created } of await Promise.all(held)) expect(created).toBe(true);
  });
});

it('a create whose customer stays locked is refused as unavailable before its caller gives up, and leaves nothing', async () => {
  const enquiry = customer();
  const release = await holdCustomerOf((await service.submit({ enquiry })).id);
  const externalReference = 'behind-a-lock';
  const begun = performance.now();
  expect(await refused(service.submit({ enquiry, externalReference }))).toMatchObject({
    refusal: 'SERVICE_UNAVAILABLE',
  });
  expect(performance.now() - begun).toBeLessThan(4_500);
  await release();
  expect(await service.context.db.submission.count({ where: { externalReference } })).toBe(0);
});
