import { forAllTests, refused, startTestRpcServer } from '@supplier/lib/testing';
import { type AccountId, newId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { BillingModel } from '@supplier/proto/common/v1/status';
import { charge } from '../../testing/test-ledger.ts';
import { openTestService } from '../../testing/test-service.ts';
import { routes } from '../routes.ts';

const unknown = newId<AccountId>();
const FROM = '2026-11-01T00:00:00Z';

let accountId: AccountId;
let key: string;
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
  key = crypto.randomUUID();
  isAccountServiceUp = true;
});

const as = (subject = 'casey', role = 'staff:billing') => server.as(subject, role);
const request = (pence = 2500) => ({
  accountId,
  billingModel: BillingModel.ACCEPTED_SUBMISSION,
  pence,
  effectiveFrom: toTimestamp(new Date(FROM)),
  idempotencyKey: key,
});
const pences = async () => (await as().listPrices({ accountId })).prices.map((price) => price.pence);
const entries = () => service.context.db.auditEntry.count({ where: { accountId } });

describe('SetPrice with an idempotency key', () => {
  it('sets the price once and repeats the response, including the number of priced lines', async () => {
    await charge(service.context, accountId, '2026-11-02T00:00:00Z');
    const set = await as().setPrice(request());
    expect(set.linesPriced).toBe(1);
    expect(await as().setPrice(request())).toEqual(set);
    expect([await pences(), await entries()]).toEqual([[2500], 1]);
  });

  it('does not restore a price that a later one has replaced', async () => {
    const set = await as().setPrice(request(1));
    await as().setPrice({ ...request(2), idempotencyKey: '' });
    expect(await as().setPrice(request(1))).toEqual(set);
    expect(await pences()).toEqual([2, 1]);
  });

  it('repeats the response while the account service is unavailable', async () => {
    const set = await as().setPrice(request());
    isAccountServiceUp = false;
    expect(await as().setPrice(request())).toEqual(set);
  });

  it('distinguishes a price of zero from a missing price', async () => {
    await as().setPrice(request(0));
    const { pence, ...none } = request(0);
    expect(await refused(as().setPrice(none as ReturnType<typeof request>))).toMatchObject({
      paths: ['pence'],
    });
  });
});
