import { forAllTests, refused, startTestRpcServer } from '@supplier/lib/testing';
import { type AccountId, newId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { BillingModel } from '@supplier/proto/common/v1/status';
import { deliver, NOW, submissionOf } from '../../testing/submission-events.ts';
import { charge, fillOctober, linesOf } from '../../testing/test-ledger.ts';
import { openTestService } from '../../testing/test-service.ts';
import { routes } from '../routes.ts';

const unknown = newId<AccountId>();
const { ACCEPTED_SUBMISSION, APPLICATION_CREATED, PRE_UNDERWRITING_CLEARED } = BillingModel;

let accountId: AccountId;
let isAccountServiceUp = true;
const service = forAllTests(() =>
  openTestService({
    accountExists: async (id) => {
      if (!isAccountServiceUp) throw new Error('unavailable');
      return id !== unknown;
    },
  }),
);
const server = forAllTests(() => startTestRpcServer('billing', BillingService, routes(service.context)));
beforeEach(() => {
  accountId = newId<AccountId>();
  isAccountServiceUp = true;
});

const billing = (role = 'staff:billing') => server.as('casey', role);
const at = (time: string) => toTimestamp(new Date(time));
const set = (pence: number, from?: string, billingModel = ACCEPTED_SUBMISSION) =>
  billing().setPrice({ accountId, billingModel, pence, ...(from ? { effectiveFrom: at(from) } : {}) });
const pences = async () => (await linesOf(service.context, accountId)).map(({ pence }) => pence);

describe('SetPrice', () => {
  const TIMES = ['2026-11-05T00:00:00Z', '2026-11-10T00:00:00Z', '2026-11-15T00:00:00Z'];
  it.each([
    [0, 1, 2],
    [1, 2, 0],
    [2, 1, 0],
  ])(
    'applies the latest price in effect, whichever of the prices %d, %d and %d was set last',
    async (...order) => {
      const setAll = async () => {
        for (const which of order) await set(1_000 + which, TIMES[which]);
      };
      await setAll();
      const returnedAt = new Date('2026-11-19T00:00:00Z');
      for (const time of [...TIMES, '2026-11-04T23:59:59.999Z', '2026-11-16T00:00:00Z']) {
        const submission = await charge(service.context, accountId, time, { returnedAt });
        await deliver(service.context, submission.returned());
      }
      const inEffect = [null, 1_000, 1_001, 1_002, 1_002];
      const credited = (await linesOf(service.context, accountId)).filter(({ kind }) => kind === 'credit');
      expect((await pences()).slice(0, 5)).toEqual(inEffect);
      expect(credited.map(({ pence }) => pence).toSorted()).toEqual(inEffect.toSorted());
      // Each is in effect already.
      await setAll();
      expect((await billing().listPrices({ accountId })).prices).toHaveLength(3);
    },
  );

  it('takes effect immediately without effective_from and returns the price', async () => {
    const { price, linesPriced } = await set(100);
    expect(linesPriced).toBe(0);
    expect(price).toMatchObject({
      billingModel: ACCEPTED_SUBMISSION,
      pence: 100,
      currency: 'GBP',
      effectiveFrom: toTimestamp(NOW),
      setAt: toTimestamp(NOW),
    });
  });

  it('accepts a price of zero, which differs from no price', async () => {
    await set(0, '2026-11-01T00:00:00Z');
    await charge(service.context, accountId, '2026-11-02T00:00:00Z');
    expect(await pences()).toEqual([0]);
  });

  it('prices unpriced lines and the credits that reverse them, only for the given account', async () => {
    const submission = await charge(service.context, accountId, '2026-11-02T00:00:00Z');
    await deliver(service.context, submission.returned());
    await charge(service.context, accountId, '2026-11-03T00:00:00Z');
    await charge(service.context, accountId, '2026-11-04T00:00:00Z');
    await charge(service.context, newId<AccountId>(), '2026-11-03T00:00:00Z');
    expect(await pences()).toEqual([null, null, null, null]);
    // In slices, the latest one first.
    expect((await set(90, '2026-11-04T00:00:00Z')).linesPriced).toBe(1);
    expect(await pences()).toEqual([null, null, 90, null]);
    expect((await set(70, '2026-11-03T00:00:00Z')).linesPriced).toBe(1);
    expect(await pences()).toEqual([null, 70, 90, null]);
    expect((await set(50, '2026-11-01T00:00:00Z')).linesPriced).toBe(2);
    expect(await pences()).toEqual([50, 70, 90, 50]);
    const { entries } = await billing().getSubmissionLedger({ submissionId: submission.submissionId });
    expect(entries).toMatchObject([
      { pence: 50, statementMonth: '2026-11' },
      { pence: 50, statementMonth: '2026-11' },
    ]);
  });

  it.each(['2026-01-31', '2026-03-31', '2026-06-30', '2026-10-31'])(
    'prices what is unpriced in the last hour of %s in UTC, whatever the month is in London',
    async (day) => {
      await charge(service.context, accountId, `${day}T23:15:00Z`);
      await charge(service.context, accountId, `${day}T23:45:00Z`);
      expect((await set(60, `${day}T23:30:00Z`)).linesPriced).toBe(1);
      expect(await pences()).toEqual([null, 60]);
    },
  );

  it('prices only lines of its own billing model', async () => {
    const other = submissionOf({ billingModel: APPLICATION_CREATED, accountId });
    await deliver(service.context, other.billable());
    await charge(service.context, accountId, '2026-11-03T00:00:00Z');
    await charge(service.context, accountId, '2026-11-05T00:00:00Z');
    await set(50, '2026-11-01T00:00:00Z', PRE_UNDERWRITING_CLEARED);
    await set(50, '2026-11-04T00:00:00Z', APPLICATION_CREATED);
    expect(await set(50, '2026-11-01T00:00:00Z')).toMatchObject({
      price: { billingModel: ACCEPTED_SUBMISSION },
      linesPriced: 2,
    });
    expect(await pences()).toEqual([null, 50, 50]);
  });

  it('rejects a price for more than 20,000 unpriced lines and accepts it in slices', async () => {
    await fillOctober(service.context, accountId, 20_001, null);
    const all = set(50, '2026-10-01T00:00:00Z');
    await expect(all).rejects.toThrow('More than 20000 lines');
    expect((await billing().listPrices({ accountId })).prices).toEqual([]);
    expect((await set(50, '2026-10-01T00:00:01Z')).linesPriced).toBe(19_999);
    expect((await set(40, '2026-10-01T00:00:00Z')).linesPriced).toBe(2);
  });

  it('never changes the price of a line', async () => {
    await set(2500, '2026-11-01T00:00:00Z');
    await charge(service.context, accountId, '2026-11-05T12:00:00Z');
    const wrong = { code: 'FailedPrecondition', refusal: 'WRONG_STATE' };
    expect(await refused(set(1, '2026-11-05T12:00:00Z'))).toMatchObject(wrong);
    expect(await refused(set(1, '2026-11-01T00:00:00Z'))).toMatchObject(wrong);
    await set(1, '2026-11-05T12:00:00.001Z');
    expect(await pences()).toEqual([2500]);
  });

  it('changes nothing when repeated and adds no audit entry', async () => {
    const first = await set(2500, '2026-11-01T00:00:00Z');
    await charge(service.context, accountId, '2026-11-05T12:00:00Z');
    expect((await set(2500, '2026-11-01T00:00:00Z')).price).toEqual(first.price);
    expect((await billing().listPrices({ accountId })).prices).toEqual([first.price]);
    const lines = await service.context.db.auditEntry.findMany({ where: { accountId } });
    expect(lines).toMatchObject([
      {
        actor: 'casey',
        action: 'SetPrice',
        after: {
          billingModel: 'accepted_submission',
          pence: 2500,
          effectiveFrom: '2026-11-01T00:00:00.000Z',
          linesPriced: 0,
        },
      },
    ]);
  });

  it('repeats its response for an idempotency key, even after a later price and during an outage', async () => {
    await charge(service.context, accountId, '2026-11-02T00:00:00Z');
    const request = {
      accountId,
      billingModel: ACCEPTED_SUBMISSION,
      pence: 1,
      effectiveFrom: at('2026-11-01T00:00:00Z'),
      idempotencyKey: crypto.randomUUID(),
    };
    const set = await billing().setPrice(request);
    expect(set.linesPriced).toBe(1);
    await billing().setPrice({
      ...request,
      pence: 2,
      effectiveFrom: at('2026-11-03T00:00:00Z'),
      idempotencyKey: '',
    });
    isAccountServiceUp = false;
    expect(await billing().setPrice(request)).toEqual(set);
    isAccountServiceUp = true;
    const { prices } = await billing().listPrices({ accountId });
    expect(prices.map(({ pence }) => pence)).toEqual([2, 1]);
    expect(await service.context.db.auditEntry.count({ where: { accountId } })).toBe(2);
  });

  it('can be corrected before any submission is billed at it', async () => {
    await set(1, '2027-01-01T00:00:00Z');
    await set(2, '2027-01-01T00:00:00Z');
    await charge(service.context, accountId, '2027-01-01T00:00:00Z');
    expect(await pences()).toEqual([2]);
  });

  it.each([
    ['below zero', { pence: -1 }, 'pence'],
    ['above £10,000', { pence: 1_000_001 }, 'pence'],
    ['without a price', { pence: undefined }, 'pence'],
    ['without a model', { billingModel: BillingModel.UNSPECIFIED }, 'billing_model'],
    ['for no account', { accountId: 'nobody' }, 'account_id'],
    ['more than 366 days ahead', { effectiveFrom: at('2027-11-22T00:00:00Z') }, 'effective_from'],
    ['without a time', { effectiveFrom: { seconds: 10n ** 17n, nanos: 0 } }, 'effective_from'],
  ])('rejects a request %s', async (_, part, path) => {
    const request = { accountId, billingModel: ACCEPTED_SUBMISSION, pence: 5, ...part };
    expect(await refused(billing().setPrice(request as typeof request & { pence: number }))).toEqual({
      code: 'InvalidArgument',
      refusal: 'VALIDATION_ERROR',
      paths: [path],
    });
  });

  it('returns NOT_FOUND for an unknown account', async () => {
    const call = billing().setPrice({ accountId: unknown, billingModel: ACCEPTED_SUBMISSION, pence: 5 });
    expect(await refused(call)).toMatchObject({ code: 'NotFound', refusal: 'NOT_FOUND' });
    expect(await refused(billing().listPrices({ accountId: unknown }))).toMatchObject({ code: 'NotFound' });
  });
});

describe('ListPrices', () => {
  it('returns prices page by page, most recently set first', async () => {
    for (const pence of [1, 2, 3, 4, 5]) await set(pence, `2026-12-0${pence}T00:00:00Z`);
    const seen: number[] = [];
    let pageToken = '';
    do {
      const page = await billing('staff:viewer').listPrices({ accountId, pageSize: 2, pageToken });
      expect(page.prices.length).toBeLessThanOrEqual(2);
      seen.push(...page.prices.map(({ pence }) => pence));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(seen).toEqual([5, 4, 3, 2, 1]);
    expect(await refused(billing().listPrices({ accountId, pageToken: 'garbled' }))).toMatchObject({
      paths: ['page_token'],
    });
  });

  it('returns an empty list when no price was set', async () => {
    expect(await billing().listPrices({ accountId })).toMatchObject({ prices: [], nextPageToken: '' });
  });
});
