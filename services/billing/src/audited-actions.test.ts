import { actionsOfStaff, auditedBy, forAllTests, startTestRpcServer } from '@supplier/lib/testing';
import { type AccountId, newId } from '@supplier/lib/text/ids';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { BillingModel } from '@supplier/proto/common/v1/status';
import { openTestService } from '../testing/test-service.ts';
import { routes } from './routes.ts';

const service = forAllTests(() => openTestService());
const server = forAllTests(() => startTestRpcServer('billing', BillingService, routes(service.context)));

const casey = () => server.as('casey', 'staff:billing');
const ACTIONS: Readonly<Record<string, (accountId: AccountId) => Promise<unknown>>> = {
  SetPrice: (accountId) =>
    casey().setPrice({ accountId, billingModel: BillingModel.ACCEPTED_SUBMISSION, pence: 2_500 }),
  CloseMonth: (accountId) => casey().closeMonth({ accountId, month: '2026-10' }),
};

it('every method with which staff change something is tested for its audit entry', () => {
  expect(Object.keys(ACTIONS).sort()).toEqual(actionsOfStaff(BillingService).sort());
});

it.each(Object.entries(ACTIONS))(
  'the audit entry of %s records the person and the request',
  async (action, act) => {
    const accountId = newId<AccountId>();
    const entries = await auditedBy(service.context, () => act(accountId));
    const person = { actor: 'casey', issuer: 'https://issuer.test', roles: ['staff:billing'] };
    expect(entries).toMatchObject([{ ...person, action }]);
    expect(JSON.stringify(entries)).toContain(accountId);
  },
);
