import { actionsOfStaff, auditedBy, forAllTests } from '@supplier/lib/testing';
import { toTimestamp } from '@supplier/lib/text/time';
import { AccountService, AccountState } from '@supplier/proto/account/v1/account';
import { Scope } from '@supplier/proto/common/v1/principal';
import { Environment } from '@supplier/proto/common/v1/status';
import { NEW_ACCOUNT } from '../testing/account-requests.ts';
import { openTestService, type TestService } from '../testing/test-service.ts';

const PURPOSE = 'agreed with the supplier, case 24';
const TOMORROW = toTimestamp(new Date(Date.now() + 86_400_000));

let ada: ReturnType<TestService['as']>;
const service = forAllTests(() => openTestService());
beforeAll(async () => {
  ada = service.as('ada', 'staff:admin');
});

const account = async () => (await ada.createAccount(NEW_ACCOUNT)).accountId;
const issue = (accountId: string) =>
  ada.issueCredential({ accountId, environment: Environment.SANDBOX, scopes: [Scope.READ] });
const credential = async () => (await issue(await account())).credential?.credentialId ?? '';
const schedule = (accountId: string) =>
  ada.scheduleTerms({
    accountId,
    effectiveFrom: TOMORROW,
    purpose: PURPOSE,
    thresholds: {},
    caps: { acceptedPerDay: 5 },
  });

interface Action {
  /** Creates the object of the action; resolves to its id. */
  readonly of: () => Promise<string>;
  /** Resolves to the id of the created object if the audit entry is about that. */
  readonly act: (id: string) => Promise<string | undefined>;
  readonly fields?: object;
}

const ACTIONS: Readonly<Record<string, Action>> = {
  CreateAccount: { of: async () => '', act: account },
  UpdateAccount: {
    of: account,
    async act(accountId) {
      const { $typeName: _, ...settings } = await ada.getAccount({ accountId });
      await ada.updateAccount({ ...settings, state: AccountState.SUSPENDED });
      return accountId;
    },
  },
  ScheduleTerms: {
    of: account,
    act: async (id) => (await schedule(id)).scheduledTermsId,
    fields: { purpose: PURPOSE },
  },
  CancelScheduledTerms: {
    of: async () => (await schedule(await account())).scheduledTermsId,
    act: async (scheduledTermsId) => (await ada.cancelScheduledTerms({ scheduledTermsId })).scheduledTermsId,
  },
  IssueCredential: { of: account, act: async (id) => (await issue(id)).credential?.credentialId },
  RevokeCredential: {
    of: credential,
    act: async (credentialId) => (await ada.revokeCredential({ credentialId })).credentialId,
  },
};

it('every method with which staff change something is tested for its audit entry', () => {
  expect(Object.keys(ACTIONS).sort()).toEqual(actionsOfStaff(AccountService).sort());
});

it.each(Object.entries(ACTIONS))(
  'the audit entry of %s records the person, the reason and the request',
  async (action, { of, act, fields }) => {
    const id = await of();
    let target: string | undefined;
    const entries = await auditedBy(service, async () => {
      target = await act(id);
    });
    const person = { actor: 'ada', issuer: 'https://issuer.test', roles: ['staff:admin'] };
    expect(entries).toMatchObject([{ ...person, action, target, ...fields }]);
  },
);
