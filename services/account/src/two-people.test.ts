import { create, type DescMessage, type MessageInitShape, toJson } from '@bufbuild/protobuf';
import { ConnectError } from '@connectrpc/connect';
import { refusalOf } from '@supplier/lib/rpc/refusal';
import { forAllTests } from '@supplier/lib/testing';
import { toTimestamp } from '@supplier/lib/text/time';
import {
  AccountState,
  IssueCredentialRequestSchema,
  UpdateAccountRequestSchema,
} from '@supplier/proto/account/v1/account';
import {
  CancelScheduledTermsRequestSchema,
  ScheduleTermsRequestSchema,
} from '@supplier/proto/account/v1/scheduled_terms';
import { DecisionMode, Scope } from '@supplier/proto/common/v1/principal';
import { RefusalCode } from '@supplier/proto/common/v1/refusal';
import { Environment } from '@supplier/proto/common/v1/status';
import { NEW_ACCOUNT, TERMS } from '../testing/account-requests.ts';
import { openTestService, type TestService } from '../testing/test-service.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const HOUR_MS = 3_600_000;
const PURPOSE = 'agreed with the supplier';
const THRESHOLDS = { minimumFundingAmount: 5_000, maximumFundingAmount: 50_000 };
const CAPS = { acceptedPerDay: 10, acceptedPerMonth: 100 };

let ada: ReturnType<TestService['as']>;
const two = forAllTests(() => openTestService({ now: () => NOW }, 'required'));
beforeAll(async () => {
  ada = two.as('ada', 'staff:admin');
});

const at = (hours: number) => toTimestamp(new Date(NOW.getTime() + hours * HOUR_MS));
const messageOf = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    (error: unknown) => ConnectError.from(error).rawMessage,
  );
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    (error: unknown) => RefusalCode[refusalOf(ConnectError.from(error))?.code ?? 0],
  );

/** Requests an approval as ada; resolves to it. */
const ask = <Schema extends DescMessage>(action: string, schema: Schema, request: MessageInitShape<Schema>) =>
  two.approvals('ada').requestApproval({
    action,
    argumentsJson: JSON.stringify(toJson(schema, create(schema, request))),
    purpose: PURPOSE,
  });
const approve = (approvalId: string, subject = 'bob') =>
  two.approvals(subject).approveRequest({ approvalId });

/** An act, a similar one that was not approved, and how to perform it. */
interface Action {
  ask(): Promise<{ readonly approvalId: string }>;
  askOther(): Promise<{ readonly approvalId: string }>;
  do(approvalId: string): Promise<unknown>;
}

/** Differences from SETTINGS. */
type Settings = object;
type Update = MessageInitShape<typeof UpdateAccountRequestSchema>;
const SETTINGS = {
  state: AccountState.ACTIVE,
  permittedScopes: NEW_ACCOUNT.permittedScopes,
  terms: { ...TERMS, decisionMode: DecisionMode.STAFF, thresholds: THRESHOLDS, caps: CAPS },
};

async function account(before: Settings = {}): Promise<string> {
  const { accountId, revision } = await ada.createAccount({ ...NEW_ACCOUNT, terms: SETTINGS.terms });
  if (Object.keys(before).length > 0)
    await ada.updateAccount({ ...SETTINGS, ...before, accountId, revision } as Update);
  return accountId;
}

async function updating(accountId: string, change: Settings, other: Settings): Promise<Action> {
  const { revision } = await ada.getAccount({ accountId });
  const request = { ...SETTINGS, ...change, accountId, revision } as Update;
  return {
    ask: () => ask('UpdateAccount', UpdateAccountRequestSchema, request),
    askOther: () => ask('UpdateAccount', UpdateAccountRequestSchema, { ...request, ...other } as Update),
    do: (approvalId) => ada.updateAccount({ ...request, approvalId } as Update),
  };
}

const terms = (more: object) => ({ terms: { ...SETTINGS.terms, ...more } });
const schedule = (accountId: string, acceptedPerDay: number, hours: number) => ({
  accountId,
  thresholds: THRESHOLDS,
  caps: { ...CAPS, acceptedPerDay },
  effectiveFrom: at(hours),
  purpose: PURPOSE,
});

const ACTS: Readonly<Record<string, (accountId: string) => Promise<Action>>> = {
  'removing a threshold while a cap is lowered': (id) =>
    updating(
      id,
      terms({ thresholds: { minimumFundingAmount: 5_000 }, caps: { ...CAPS, acceptedPerDay: 1 } }),
      terms({ thresholds: { maximumFundingAmount: 50_000 } }),
    ),
  'ending a suspension': async (id) => {
    const { revision } = await ada.getAccount({ accountId: id });
    await ada.updateAccount({ ...SETTINGS, accountId: id, revision, state: AccountState.SUSPENDED });
    return updating(id, {}, terms({ caps: {} }));
  },
  'tightening a setting that pending terms would loosen again': async (id) => {
    await ada.scheduleTerms(schedule(id, CAPS.acceptedPerDay, 24));
    return updating(
      id,
      terms({ caps: { ...CAPS, acceptedPerDay: 1 } }),
      terms({ caps: { ...CAPS, acceptedPerDay: 2 } }),
    );
  },
  'scheduling a higher cap': async (id) => ({
    ask: () => ask('ScheduleTerms', ScheduleTermsRequestSchema, schedule(id, 20, 1)),
    askOther: () => ask('ScheduleTerms', ScheduleTermsRequestSchema, schedule(id, 20, 2)),
    do: (approvalId) => ada.scheduleTerms({ ...schedule(id, 20, 1), approvalId }),
  }),
  'scheduling a tighter cap before terms that would raise it again': async (id) => {
    await ada.scheduleTerms(schedule(id, CAPS.acceptedPerDay, 48));
    return {
      ask: () => ask('ScheduleTerms', ScheduleTermsRequestSchema, schedule(id, 5, 24)),
      askOther: () => ask('ScheduleTerms', ScheduleTermsRequestSchema, schedule(id, 5, 25)),
      do: (approvalId) => ada.scheduleTerms({ ...schedule(id, 5, 24), approvalId }),
    };
  },
  'cancelling a lower cap that is scheduled': async (id) => {
    const { scheduledTermsId } = await ada.scheduleTerms(schedule(id, 5, 1));
    const other = await ada.scheduleTerms(schedule(id, 4, 2));
    const asking = (terms: string) =>
      ask('CancelScheduledTerms', CancelScheduledTermsRequestSchema, { scheduledTermsId: terms });
    return {
      ask: () => asking(scheduledTermsId),
      askOther: () => asking(other.scheduledTermsId),
      do: (approvalId) => ada.cancelScheduledTerms({ scheduledTermsId, approvalId }),
    };
  },
};

describe.each(Object.entries(ACTS))('%s, with four-eyes required', (_, prepare) => {
  it('is allowed once, for the requester, after another person has approved exactly that request', async () => {
    const accountId = await account();
    const act = await prepare(accountId);
    const shown = async () => [
      await ada.getAccount({ accountId }),
      await ada.listScheduledTerms({ accountId }),
    ];
    const before = await shown();
    expect(await messageOf(act.do(''))).toContain("This requires a second person's approval");
    const { approvalId } = await act.ask();
    expect(await codeOf(approve(approvalId, 'ada'))).toBe('FORBIDDEN');
    expect(await messageOf(act.do(approvalId))).toContain('has not been approved yet');
    const other = await act.askOther();
    await approve(other.approvalId);
    expect(await codeOf(act.do(other.approvalId))).toBe('WRONG_STATE');
    expect(await shown()).toEqual(before);

    await approve(approvalId);
    await act.do(approvalId);
    const done = await shown();
    expect(done).not.toEqual(before);
    expect((await two.auditOf(accountId)).at(-1)).toMatchObject({ after: { approvalId } });
    await act.do(approvalId).catch(() => {});
    expect(await shown()).toEqual(done);
  });
});

describe('changes that only tighten an account', () => {
  it.each<[string, Settings]>([
    ['suspending the account', { state: AccountState.SUSPENDED }],
    ['no change', {}],
  ])('need one person: %s', async (_, change) => {
    const act = await updating(await account(), change, {});
    await act.do('');
  });

  it('need one person to schedule a tightening and to cancel a scheduled loosening', async () => {
    const accountId = await account();
    await ada.scheduleTerms(schedule(accountId, 5, 1));
    const { approvalId } = await ask('ScheduleTerms', ScheduleTermsRequestSchema, schedule(accountId, 8, 2));
    await approve(approvalId);
    const { scheduledTermsId } = await ada.scheduleTerms({ ...schedule(accountId, 8, 2), approvalId });
    await ada.cancelScheduledTerms({ scheduledTermsId });
  });

  it('need one person alongside an approved later raise, and the response warns of that raise', async () => {
    const accountId = await account();
    const { approvalId } = await ask(
      'ScheduleTerms',
      ScheduleTermsRequestSchema,
      schedule(accountId, 20, 48),
    );
    await approve(approvalId);
    const raised = await ada.scheduleTerms({ ...schedule(accountId, 20, 48), approvalId });
    expect(raised.loosenedLater).toEqual([]);
    const warning = [{ effectiveFrom: at(48), names: ['caps.accepted_per_day'] }];
    expect(await ada.scheduleTerms(schedule(accountId, 5, 24))).toMatchObject({ loosenedLater: warning });
    const { revision } = await ada.getAccount({ accountId });
    const tighter = terms({ caps: { ...CAPS, acceptedPerDay: 1 } });
    const request = { ...SETTINGS, ...tighter, accountId, revision } as Update;
    expect(await codeOf(ada.updateAccount(request))).toBe('WRONG_STATE');
    const sameAsNext = {
      ...SETTINGS,
      ...terms({ caps: { ...CAPS, acceptedPerDay: 5 } }),
      accountId,
      revision,
    };
    expect(await ada.updateAccount(sameAsNext as Update)).toMatchObject({ loosenedLater: warning });
    expect(await ada.getAccount({ accountId })).toMatchObject({ loosenedLater: warning });
  });

  it('reject a request for approval', async () => {
    const act = await updating(await account(), { state: AccountState.SUSPENDED }, {});
    expect(await codeOf(act.ask())).toBe('VALIDATION_ERROR');
  });
});

describe('an approved action', () => {
  it('is rejected when a different suspension is in force', async () => {
    const accountId = await account({ state: AccountState.SUSPENDED });
    const first = await updating(accountId, {}, {});
    const { approvalId } = await first.ask();
    await approve(approvalId);
    const again = await first.ask();
    await approve(again.approvalId);
    await first.do(again.approvalId);
    const { revision } = await ada.getAccount({ accountId });
    await ada.updateAccount({ ...SETTINGS, accountId, revision, state: AccountState.SUSPENDED });
    const second = await updating(accountId, {}, {});
    expect(await messageOf(second.do(approvalId))).toContain('Request a new approval');
    expect((await ada.getAccount({ accountId })).state).toBe(AccountState.SUSPENDED);
  });

  it('is rejected when the terms it would replace have changed', async () => {
    const accountId = await account();
    const { approvalId } = await ask('ScheduleTerms', ScheduleTermsRequestSchema, schedule(accountId, 20, 2));
    await approve(approvalId);
    await ada.scheduleTerms(schedule(accountId, 1, 1));
    expect(await messageOf(ada.scheduleTerms({ ...schedule(accountId, 20, 2), approvalId }))).toMatch(
      /caps\.accepted_per_day.*Request a new approval/,
    );
  });

  it("is rejected when the account's terms have changed since the credential was approved", async () => {
    const accountId = await account();
    const issue = { accountId, environment: Environment.PRODUCTION, scopes: [Scope.READ] };
    const { approvalId } = await ask('IssueCredential', IssueCredentialRequestSchema, issue);
    await approve(approvalId);
    const act = await updating(accountId, terms({ caps: { acceptedPerDay: 9 } }), {});
    const asked = await act.ask();
    await approve(asked.approvalId);
    await act.do(asked.approvalId);
    expect(await messageOf(ada.issueCredential({ ...issue, approvalId }))).toContain(
      'Request a new approval',
    );
  });
});

describe('pending scheduled terms', () => {
  const production = (accountId: string) => ({
    accountId,
    environment: Environment.PRODUCTION,
    scopes: [Scope.READ],
  });
  const ending = async (accountId: string) => {
    const { revision } = await ada.getAccount({ accountId });
    await ada.updateAccount({ ...SETTINGS, accountId, revision, state: AccountState.SUSPENDED });
    return updating(accountId, {}, {});
  };
  const issuing = async (accountId: string): Promise<Pick<Action, 'ask' | 'do'>> => ({
    ask: () => ask('IssueCredential', IssueCredentialRequestSchema, production(accountId)),
    do: (approvalId) => ada.issueCredential({ ...production(accountId), approvalId }),
  });

  it.each<[string, (accountId: string) => Promise<Pick<Action, 'ask' | 'do'>>, string]>([
    ['a credential for production', issuing, 'Request a new approval'],
    ['the end of a suspension', ending, 'has changed since that revision'],
  ])(
    'are shown to the approver of %s, which is rejected once further terms are scheduled',
    async (_, prepare, refused) => {
      const accountId = await account();
      await ada.scheduleTerms(schedule(accountId, 7, 24));
      const act = await prepare(accountId);
      const { approvalId } = await act.ask();
      const { lines } = await two.approvals('bob').getApproval({ approvalId });
      expect(lines).toContainEqual(
        expect.objectContaining({
          name: 'from 2026-11-21T12:00:00.000Z: caps.accepted_per_day',
          before: '7',
        }),
      );
      await approve(approvalId);
      await ada.scheduleTerms(schedule(accountId, 6, 48));
      expect(await messageOf(act.do(approvalId))).toContain(refused);
    },
  );
});

describe('RequestApproval', () => {
  it('shows each change with the value it replaces, why it needs two people, and the account name', async () => {
    const act = ACTS['removing a threshold while a cap is lowered'];
    const { approvalId } = await (await act?.(await account()))!.ask();
    const shown = await two.approvals('bob').getApproval({ approvalId });
    expect(shown).toMatchObject({
      requestedBy: 'ada',
      requestedIssuer: expect.stringMatching(/./),
      reasons: ['terms.thresholds.maximum_funding_amount'],
    });
    const lines = Object.fromEntries(shown.lines.map(({ name, before, after }) => [name, [before, after]]));
    expect(lines).toMatchObject({
      'account.name': [NEW_ACCOUNT.name, undefined],
      'terms.caps.accepted_per_day': ['10', '1'],
      'terms.caps.accepted_per_month': ['100', '100'],
      'terms.thresholds.maximum_funding_amount': ['50000', ''],
      state: ['active', 'active'],
      permitted_scopes: ['create:application, read', 'create:application, read'],
      'limits.writes_per_minute': ['10000000', ''],
    });
  });

  it('shows until when scheduled terms would apply, and is refused once that changes', async () => {
    const accountId = await account();
    await ada.scheduleTerms(schedule(accountId, 7, 24));
    const linesAt = async (approvalId: string) => {
      const { lines } = await two.approvals('bob').getApproval({ approvalId });
      return lines.find(({ name }) => name === 'replaced_at')?.before;
    };
    const later = schedule(accountId, 20, 12);
    const asking = () => ask('ScheduleTerms', ScheduleTermsRequestSchema, later);
    const { approvalId } = await asking();
    expect(await linesAt(approvalId)).toBe('2026-11-21T12:00:00.000Z');
    await approve(approvalId);
    await ada.scheduleTerms(schedule(accountId, 8, 18));
    expect(await messageOf(ada.scheduleTerms({ ...later, approvalId }))).toContain('Request a new approval');
    expect(await linesAt((await asking()).approvalId)).toBe('2026-11-21T06:00:00.000Z');
    const last = await ask('ScheduleTerms', ScheduleTermsRequestSchema, schedule(accountId, 9, 48));
    expect(await linesAt(last.approvalId)).toBe('');
  });

  it('shows when terms to be cancelled would apply, and the values that apply instead', async () => {
    const accountId = await account();
    for (const hours of [12, 18]) await ada.scheduleTerms(schedule(accountId, 9 - hours / 6, hours));
    const { scheduledTermsId } = await ada.scheduleTerms(schedule(accountId, 5, 24));
    const terms = { scheduledTermsId };
    const { approvalId } = await ask('CancelScheduledTerms', CancelScheduledTermsRequestSchema, terms);
    const { lines } = await two.approvals('bob').getApproval({ approvalId });
    const shown = Object.fromEntries(lines.map(({ name, before, after }) => [name, [before, after]]));
    expect(shown.effective_from).toEqual(['2026-11-21T12:00:00.000Z', undefined]);
    expect(shown['caps.accepted_per_day']).toEqual(['5', '6']);
  });

  it.each([
    ['a nonexistent account', { accountId: '01998c1e-7d5c-7000-8000-000000000001' }, 'NOT_FOUND'],
    ['another revision', { revision: 9n }, 'REVISION_CONFLICT'],
    ['an impossible change', terms({ caps: { acceptedPerDay: -1 } }), 'VALIDATION_ERROR'],
  ])('rejects %s', async (_, fault, code) => {
    const accountId = await account({ state: AccountState.SUSPENDED });
    const { revision } = await ada.getAccount({ accountId });
    const request = { ...SETTINGS, accountId, revision, ...fault } as Update;
    expect(await codeOf(ask('UpdateAccount', UpdateAccountRequestSchema, request))).toBe(code);
  });
});
