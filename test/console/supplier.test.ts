import { AccountState } from '@supplier/proto/account/v1/account';
import { ApprovalService } from '@supplier/proto/approval/v1/approval';
import { Scope } from '@supplier/proto/common/v1/principal';
import { barriers } from '../harness/accessibility.ts';
import { newAccount } from '../harness/accounts.ts';
import { describeInBrowser } from '../harness/browser.ts';
import { consoleUrl, openConsole } from '../harness/console.ts';
import {
  begin,
  commandIn,
  dialog,
  expectGone,
  finish,
  inDialog,
  openSection,
  openTab,
  part,
  refusal,
  secretIn,
} from '../harness/console-acts.ts';
import { filled, openAction, search, toggleFilter } from '../harness/console-parts.ts';
import {
  endpointOf,
  exhaustedEventsOf,
  newEndpoint,
  type OwnReceiver,
  startReceiver,
} from '../harness/endpoints.ts';
import { enquiry } from '../harness/enquiries.ts';
import { traces } from '../harness/page-traces.ts';
import { rpcClient, staff } from '../harness/rpc.ts';
import { readStack } from '../harness/stack.ts';
import { checkout, staffShell } from '../harness/staff-cli.ts';
import { decided, supplierApi } from '../harness/suppliers.ts';
import { token } from '../harness/tokens.ts';

const DAY_MS = 86_400_000;

const ACTIONS = /^(?:More|Change|Issue|Revoke|Cancel|Redeliver|Read|Send)/;

/** Formats a time for a datetime input. */
const inField = (ms: number) => new Date(Date.now() + ms).toISOString().slice(0, 16);

describeInBrowser("a supplier's screen of the console", () => {
  let receiver: OwnReceiver;
  const shell = staffShell();
  /** Runs a command copied from a dialog. */
  const ended = (command: string) =>
    shell.program('sh', ['-c', command], '', {
      PATH: `${checkout}/node_modules/.bin:${process.env.PATH}`,
    }).ended;
  beforeAll(async () => {
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await receiver?.close();
    shell.close();
  });

  it('lets an administrator find a supplier, change its terms despite a concurrent change, suspend it, and schedule terms', async () => {
    const { accountId } = await newAccount();
    const read = () => staff.account().getAccount({ accountId });
    const { name } = await read();
    const { page, complaints } = await openConsole({
      name: 'ada',
      role: 'staff:admin',
      path: '/suppliers',
    });
    await page.getByRole('button', { name: 'Name ▾' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill(name);
    await page.keyboard.press('Enter');
    await page.waitForURL(/[?&]name=/);
    await page.getByRole('link', { name }).waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.getByRole('link', { name }).click();

    await openAction(page, 'Change terms');
    for (const section of ['Account', 'Acceptance thresholds', 'Caps', 'Enrolments'])
      await openSection(page, section);
    await dialog(page).getByLabel('Accepted per day').fill('7');
    await dialog(page).getByLabel('Minimum trading duration').selectOption('2–5 years');
    for (const choice of ['promote', 'Transport', 'Arrival screen'])
      await dialog(page).getByLabel(choice, { exact: true }).click({ force: true });
    const change = await commandIn(page);
    expect(await barriers(page)).toEqual([]);
    const before = await read();
    await staff.account().updateAccount({ ...accountRequest(before), limits: { readsPerMinute: 60 } });
    await inDialog(page, 'Change terms').click();
    await expect(refusal(page).textContent()).resolves.toContain(
      'The account has changed since that revision.',
    );
    expect(await dialog(page).getByLabel('Accepted per day').inputValue()).toBe('7');
    await inDialog(page, 'Continue with the current version').click();
    await dialog(page).getByText('Accepted per day: None → 7').waitFor();
    await finish(page, 'Change terms');
    await openTab(page, 'Terms');
    await part(page, 'Current terms').locator('dd').getByText('7', { exact: true }).waitFor();
    expect(await read()).toMatchObject({
      permittedScopes: before.permittedScopes.filter((scope) => scope !== Scope.PROMOTE),
      terms: {
        ...before.terms,
        caps: { acceptedPerDay: 7 },
        thresholds: { excludedSectors: [2], minimumTradingDuration: 3 },
        enrolments: { arrivalScreen: true, documentFirst: false },
      },
      limits: { readsPerMinute: 60 },
    });
    // Its command has the same terms, which are all in force now.
    expect(await ended(change)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('nothing to change'),
    });

    await openAction(page, 'Suspend');
    await dialog(page).getByText('(0 active credentials)').waitFor();
    await finish(page, 'Suspend');
    await page.getByRole('main').getByText('Suspended').waitFor();
    expect(await read()).toMatchObject({ state: AccountState.SUSPENDED });
    await openAction(page, 'Activate');
    await finish(page, 'Activate');
    await page.getByRole('main').getByText('Active', { exact: true }).waitFor();
    expect(await read()).toMatchObject({ state: AccountState.ACTIVE });

    await openAction(page, 'Schedule terms');
    await dialog(page).getByLabel('From (UTC)').fill(inField(-DAY_MS));
    await dialog(page).getByLabel('Reason', { exact: true }).fill("it's agreed");
    await openSection(page, 'Caps');
    await dialog(page).getByLabel('Accepted per month').fill('90');
    await inDialog(page, 'Schedule terms').click();
    await expect(refusal(page).textContent()).resolves.toContain('Effective from must be in the future');
    const violation = dialog(page).getByText('Must be in the future', { exact: false });
    const described = await dialog(page).getByLabel('From (UTC)').getAttribute('aria-describedby');
    expect(described?.split(' ')).toContain(await violation.first().getAttribute('id'));
    await dialog(page)
      .getByLabel('From (UTC)')
      .fill(inField(7 * DAY_MS));
    const schedule = await commandIn(page);
    await finish(page, 'Schedule terms');
    const scheduled = part(page, 'Scheduled terms').getByRole('row').nth(1);
    await expect(scheduled.textContent()).resolves.toContain(
      "Accepted per month: None → 90it's agreedScheduled",
    );
    await begin(page, 'Scheduled terms', 'Cancel scheduled terms');
    await finish(page, 'Cancel scheduled terms');
    await part(page, 'Earlier versions').getByText('Cancelled').waitFor();
    expect(await ended(schedule)).toMatchObject({ code: 0 });
    const { scheduledTerms } = await staff.account().listScheduledTerms({ accountId });
    const [byCommand, byAct] = scheduledTerms.map(({ effectiveFrom, thresholds, caps, purpose }) => ({
      ...{ effectiveFrom, thresholds, caps, purpose },
    }));
    expect(byCommand).toEqual(byAct);
    expect(complaints).toEqual([]);
  });

  it('shows a credential once and keeps it nowhere, and issues one that a colleague approved as requested', async () => {
    const { accountId } = await newAccount();
    const path = `/suppliers/${accountId}`;
    const { page } = await openConsole({ name: 'ada', role: 'staff:admin', path });
    const held = traces(page);
    const answerWith = async (credential: string, environment: 'sandbox' | 'production') => {
      const api = supplierApi({ name: '', accountId, environment, credential });
      return (await api.readByReference('none')).status;
    };
    await openTab(page, 'Credentials');
    await openAction(page, 'Issue a credential');
    await inDialog(page, 'Issue a credential').click();
    const credential = await secretIn(page, 'Credential');
    expect(await answerWith(credential, 'sandbox')).toBe(404);
    await expectGone(page, held, credential);

    await openAction(page, 'Issue a credential');
    for (const scope of await dialog(page).getByRole('checkbox').all()) {
      expect(await scope.isChecked()).toBe(true);
      await scope.press('Space');
      expect(await scope.isChecked()).toBe(false);
    }
    await dialog(page).getByLabel('read', { exact: true }).check({ force: true });
    await dialog(page).getByText('Doesn’t require a second person’s approval.').waitFor();
    await dialog(page).getByLabel('Environment').selectOption('Production');
    await dialog(page)
      .getByText(/^Approval isn’t enforced in this installation.*production/)
      .waitFor();
    await dialog(page).getByText('Second person’s approval', { exact: true }).click();
    await dialog(page).getByLabel('Reason for the approver').fill('go-live of a supplier');
    expect(await barriers(page)).toEqual([]);
    await inDialog(page, 'Request approval').click();
    await dialog(page).getByText('Pending until').waitFor();
    await inDialog(page, 'Issue a credential').click();
    await expect(refusal(page).textContent()).resolves.toBe('The request has not been approved yet.');
    const approvalId = await dialog(page).getByLabel('Approval ID').inputValue();
    const bob = token({ roles: ['staff:admin'], audience: 'account', subject: 'bob' });
    await rpcClient('account', ApprovalService, bob).approveRequest({ approvalId });
    await dialog(page).getByText('Approved by bob').waitFor();
    expect(await dialog(page).textContent()).toContain(`--scopes read --approval ${approvalId}`);
    await inDialog(page, 'Issue a credential').click();
    const live = await secretIn(page, 'Credential');
    expect(await answerWith(live, 'production')).toBe(404);
    await expectGone(page, held, live);

    await part(page, 'Credentials')
      .getByRole('row')
      .filter({ hasText: 'Sandbox' })
      .getByRole('button')
      .click();
    await finish(page, 'Revoke');
    await part(page, 'Credentials').getByText('Revoked').waitFor();
    expect(await answerWith(credential, 'sandbox')).toBe(401);
  });

  it('sets up webhooks: rejects a wrong URL but keeps the input, shows the secret once, and shows each step of a ping', async () => {
    const { accountId } = await newAccount();
    const { page } = await openConsole({
      name: 'ada',
      role: 'staff:admin',
      path: `/suppliers/${accountId}`,
    });
    const held = traces(page);
    const webhooks = 'Sandbox endpoint';
    await openTab(page, 'Webhooks');
    await begin(page, webhooks, 'Create an endpoint');
    await dialog(page).getByLabel('URL', { exact: true }).fill('http://broker.example/hooks');
    await dialog(page).getByText('Enter an https:// URL with a host.').waitFor();
    expect(await inDialog(page, 'Create an endpoint').isDisabled()).toBe(true);
    await dialog(page).getByLabel('URL', { exact: true }).fill('https://user@broker.example/hooks');
    await inDialog(page, 'Create an endpoint').click();
    await expect(refusal(page).textContent()).resolves.toContain('The request is invalid. URL must');
    const url = dialog(page).getByRole('textbox', { name: 'URL', description: /^Must/ });
    expect(await url.inputValue()).toBe('https://user@broker.example/hooks');
    await dialog(page).getByLabel('URL', { exact: true }).fill(receiver.url);
    await inDialog(page, 'Create an endpoint').click();
    const secret = await secretIn(page, 'Signing secret');
    expect(secret).toMatch(/^whsec_/);
    await expectGone(page, held, secret);

    await begin(page, webhooks, 'Preflight');
    await dialog(page).getByLabel('URL', { exact: true }).fill('https://127.0.0.1:9/hooks');
    await inDialog(page, 'Preflight').click();
    await dialog(page).getByText('Not ready to receive events.').waitFor();
    await expect(dialog(page).getByRole('listitem').allTextContents()).resolves.toEqual([
      'URLPassedhttps://127.0.0.1:9/hooks',
      'AddressesPassed127.0.0.1',
      'CertificateSkippednot received',
      expect.stringMatching(/^PingFailedConnection failed/),
    ]);
    await finish(page, 'Done');

    await begin(page, webhooks, 'Change URL');
    expect(await dialog(page).getByLabel('URL', { exact: true }).inputValue()).toBe(receiver.url);
    await dialog(page).getByLabel('URL', { exact: true }).fill(`${receiver.url}/new`);
    await finish(page, 'Change URL');
    await part(page, webhooks).getByText(`${receiver.url}/new`).waitFor();
    await begin(page, webhooks, 'Rotate secret');
    await inDialog(page, 'Rotate secret').click();
    const replaced = await secretIn(page, 'Signing secret');
    expect(replaced).not.toBe(secret);
    await expectGone(page, held, replaced);
    await begin(page, webhooks, 'Disable');
    await finish(page, 'Disable');
    await part(page, webhooks).getByText('Disabled').waitFor();
    await begin(page, webhooks, 'Enable');
    await finish(page, 'Enable');
    await part(page, webhooks).getByText('Healthy').waitFor();
    expect(await staff.webhook().getEndpoint(endpointOf(accountId))).toMatchObject({
      url: `${receiver.url}/new`,
      enabled: true,
    });

    await page.goto(`${await consoleUrl()}/suppliers/${readStack().suppliers.alpha!.accountId}?tab=webhooks`);
    await begin(page, webhooks, 'Preflight');
    await inDialog(page, 'Preflight').click();
    await dialog(page).getByText('Ready to receive events.').waitFor();
    await expect(dialog(page).getByRole('listitem').allTextContents()).resolves.toEqual([
      expect.stringContaining(readStack().receiver.url),
      expect.stringMatching(/^AddressesPassed(?:127\.0\.0\.1|::1)/),
      expect.stringMatching(/^CertificatePassed.*, trusted$/),
      expect.stringMatching(/^PingPassed2\d\d/),
    ]);
  });

  it('lets an operator redeliver failed events, individually or all together, read the cause, and send a test event', async () => {
    const account = await newAccount();
    const { accountId } = account;
    await newEndpoint(accountId, receiver.url);
    const api = await account.issue();
    receiver.answers = 500;
    const body = enquiry();
    const submissions = await Promise.all([decided(api, body), decided(api, enquiry())]);
    const [first = '', second = ''] = submissions.map(({ submission_id }) => submission_id);
    await exhaustedEventsOf([first, second]);
    receiver.answers = 204;

    const { page } = await openConsole({
      name: 'oli',
      role: 'staff:operator',
      path: `/suppliers/${accountId}?tab=webhooks`,
    });
    const failing = part(page, 'Sandbox endpoint');
    await failing.getByText('16 of 16 attempts failed (100%)').waitFor();
    const event = failing.getByRole('row').filter({ hasText: first });
    await event.getByRole('button', { name: 'Read responses' }).click();
    await dialog(page).getByLabel('Purpose').fill('what the receiver answered');
    await inDialog(page, 'Read responses').click();
    await dialog(page).getByText('8. 500').waitFor();
    await finish(page, 'Done');
    await event.getByRole('button', { name: 'Redeliver' }).click();
    await dialog(page).getByText('which failed after 8 attempts').waitFor();
    await finish(page, 'Redeliver');
    const again = (await receiver.about(first, 9)).at(-1);
    await event.waitFor({ state: 'detached' });

    await begin(page, 'Sandbox endpoint', 'Redeliver events');
    await inDialog(page, 'Redeliver events').click();
    await dialog(page).getByText('Sending the current status of 1 submission.').waitFor();
    await finish(page, 'Done');
    await receiver.about(second, 9);

    await page.getByText('Sandbox', { exact: true }).first().click();
    await openTab(page, 'Events');
    await toggleFilter(page, 'Status', 'Exhausted');
    const redelivered = page.getByRole('row').filter({ hasText: first });
    await redelivered.getByRole('button', { name: 'Decided' }).click();
    await dialog(page).getByText(`Redelivered as ${again?.envelope.id}`).waitFor();
    await page.keyboard.press('Escape');

    // By the supplier's reference.
    await search(page, String(body.external_reference));
    await page.waitForURL(new RegExp(`/submissions/${first}`));
    await openAction(page, 'Send test event');
    await finish(page, 'Send test event');
    await page.getByText('Event delivered: HTTP 204').waitFor();
    expect((await receiver.about(first, 10)).at(-1)?.envelope.data.submission_id).toBe(first);
  });

  it.each([
    ['staff:viewer', ['Overview', 'Terms', 'Credentials', 'Webhooks', 'Events']],
    ['staff:billing', ['Overview', 'Terms']],
    ['staff:privacy', ['Overview', 'Terms']],
  ])('shows %s what they may see, without actions, and makes no call that is refused', async (role, tabs) => {
    const { accountId } = readStack().suppliers.alpha!;
    const path = `/suppliers/${accountId}`;
    const { page } = await openConsole({ name: 'vic', role, path });
    const refused: string[] = [];
    page.on('response', (response) => {
      if (response.status() >= 400) refused.push(response.url());
    });
    await page.goto(`${await consoleUrl()}/suppliers/${accountId}`);
    await page.getByRole('tab').first().waitFor();
    expect(await page.getByRole('tab').allTextContents()).toEqual(tabs);
    for (const tab of tabs) {
      await openTab(page, tab);
      await filled(page);
      expect([tab, await barriers(page)]).toEqual([tab, []]);
      expect(await page.getByRole('button', { name: ACTIONS }).count()).toBe(0);
    }
    expect(refused).toEqual([]);
  });
});

/** Returns a request that leaves an account unchanged. */
const accountRequest = ({
  accountId,
  revision,
  state,
  permittedScopes,
  terms,
}: Awaited<ReturnType<ReturnType<typeof staff.account>['getAccount']>>) => ({
  accountId,
  revision,
  state,
  permittedScopes,
  ...(terms ? { terms } : {}),
});
