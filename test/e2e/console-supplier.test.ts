import { AccountState } from '@supplier/proto/account/v1/account';
import { ApprovalService } from '@supplier/proto/approval/v1/approval';
import { Scope } from '@supplier/proto/common/v1/principal';
import { barriers } from '../harness/accessibility.ts';
import { newAccount } from '../harness/accounts.ts';
import { type Browser, describeInBrowser, openBrowser } from '../harness/browser.ts';
import { consoleUrl, openConsole } from '../harness/console.ts';
import {
  act,
  begin,
  commandIn,
  dialog,
  expectGone,
  finish,
  inDialog,
  part,
  refusal,
  secretIn,
} from '../harness/console-acts.ts';
import { openAction, search, submissionLink } from '../harness/console-parts.ts';
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

/** Formats a time for a datetime input. */
const inField = (ms: number) => new Date(Date.now() + ms).toISOString().slice(0, 16);

describeInBrowser("a supplier's screen of the console", () => {
  let browser: Browser;
  let receiver: OwnReceiver;
  const shell = staffShell();
  /** Runs a command copied from a dialog. */
  const ended = (command: string) =>
    shell.program('sh', ['-c', command], '', {
      PATH: `${checkout}/node_modules/.bin:${process.env.PATH}`,
    }).ended;
  beforeAll(async () => {
    browser = await openBrowser();
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await browser?.close();
    await receiver?.close();
    shell.close();
  });

  it('lets an administrator find a supplier, change its terms despite a concurrent change, suspend it, and schedule terms', async () => {
    const { accountId } = await newAccount();
    const read = () => staff.account().getAccount({ accountId });
    const { name } = await read();
    const { page, complaints } = await openConsole(browser, {
      name: 'ada',
      role: 'staff:admin',
      path: '/suppliers',
    });
    await page.getByLabel('name contains').fill(name);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\?name=/);
    await page.getByRole('link', { name }).click();

    await begin(page, 'State', 'Change');
    await dialog(page).getByLabel('accepted per day').fill('7');
    await dialog(page).getByLabel('minimum trading duration').selectOption('2-5-years');
    for (const choice of ['promote', 'transport', 'arrival screen'])
      await dialog(page).getByLabel(choice, { exact: true }).click({ force: true });
    const change = await commandIn(page);
    const before = await read();
    await staff.account().updateAccount({ ...accountRequest(before), limits: { readsPerMinute: 60 } });
    await inDialog(page, 'Change').click();
    await expect(refusal(page).textContent()).resolves.toContain(
      'The account has changed since that revision.',
    );
    expect(await dialog(page).getByLabel('accepted per day').inputValue()).toBe('7');
    await inDialog(page, 'Continue with the current version').click();
    await finish(page, 'Change');
    await part(page, 'Terms').locator('dd').getByText('7', { exact: true }).waitFor();
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

    await begin(page, 'State', 'Suspend');
    await finish(page, 'Suspend');
    await act(page, 'State', 'Activate').waitFor();
    expect(await read()).toMatchObject({ state: AccountState.SUSPENDED });
    await begin(page, 'State', 'Activate');
    await finish(page, 'Activate');
    await act(page, 'State', 'Suspend').waitFor();
    expect(await read()).toMatchObject({ state: AccountState.ACTIVE });

    await begin(page, 'Scheduled terms', 'Schedule terms');
    await dialog(page).getByLabel('From, in UTC').fill(inField(-DAY_MS));
    await dialog(page).getByLabel('Reason', { exact: true }).fill("it's agreed");
    await dialog(page).getByLabel('accepted per month').fill('90');
    await inDialog(page, 'Schedule terms').click();
    await expect(refusal(page).textContent()).resolves.toContain('effective_from must be in the future');
    await dialog(page)
      .getByLabel('From, in UTC')
      .fill(inField(7 * DAY_MS));
    const schedule = await commandIn(page);
    await finish(page, 'Schedule terms');
    const scheduled = part(page, 'Scheduled terms').getByRole('listitem');
    await expect(scheduled.textContent()).resolves.toContain(
      "waiting. excluded sectors transport, minimum trading duration 2-5-years, accepted per day 7, accepted per month 90. it's agreed",
    );
    await begin(page, 'Scheduled terms', 'Cancel');
    await finish(page, 'Cancel');
    await scheduled.getByText('cancelled').waitFor();
    expect(await ended(schedule)).toMatchObject({ code: 0 });
    const { scheduledTerms } = await staff.account().listScheduledTerms({ accountId });
    const [byCommand, byAct] = scheduledTerms.map(({ effectiveFrom, thresholds, caps, purpose }) => ({
      ...{ effectiveFrom, thresholds, caps, purpose },
    }));
    expect(byCommand).toEqual(byAct);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('shows a credential once and keeps it nowhere, and issues one that a colleague approved as requested', async () => {
    const { accountId } = await newAccount();
    const { page } = await openConsole(browser, {
      name: 'ada',
      role: 'staff:admin',
      path: `/suppliers/${accountId}`,
    });
    const held = traces(page);
    const answerWith = async (credential: string, environment: 'sandbox' | 'production') => {
      const api = supplierApi({ name: '', accountId, environment, credential });
      return (await api.readByReference('none')).status;
    };
    await begin(page, 'Credentials', 'Issue a credential');
    await dialog(page).getByLabel('read', { exact: true }).check({ force: true });
    await inDialog(page, 'Issue a credential').click();
    const credential = await secretIn(page, 'Credential');
    expect(await answerWith(credential, 'sandbox')).toBe(404);
    await expectGone(page, held, credential);

    await begin(page, 'Credentials', 'Issue a credential');
    await dialog(page).getByLabel('Environment').selectOption('production');
    await dialog(page).getByText('Second person’s approval').click();
    await dialog(page).getByLabel('Reason for the approver').fill('go-live of a supplier');
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
      .getByRole('listitem')
      .filter({ hasText: 'sandbox' })
      .getByRole('button')
      .click();
    await finish(page, 'Revoke');
    await part(page, 'Credentials').getByText('revoked').waitFor();
    expect(await answerWith(credential, 'sandbox')).toBe(401);
    await page.context().close();
  });

  it('sets up webhooks: rejects a wrong URL but keeps the input, shows the secret once, and shows each step of a ping', async () => {
    const { accountId } = await newAccount();
    const { page } = await openConsole(browser, {
      name: 'ada',
      role: 'staff:admin',
      path: `/suppliers/${accountId}`,
    });
    const held = traces(page);
    const webhooks = 'Webhooks of sandbox';
    await begin(page, webhooks, 'Create an endpoint');
    await dialog(page).getByLabel('URL', { exact: true }).fill('http://broker.example/hooks');
    await inDialog(page, 'Create an endpoint').click();
    await expect(refusal(page).textContent()).resolves.toBe(
      'The request is invalid. url must begin with https:// and a host',
    );
    expect(await dialog(page).getByLabel('URL', { exact: true }).inputValue()).toBe(
      'http://broker.example/hooks',
    );
    await dialog(page).getByLabel('URL', { exact: true }).fill(receiver.url);
    await inDialog(page, 'Create an endpoint').click();
    const secret = await secretIn(page, 'Signing secret');
    expect(secret).toMatch(/^whsec_/);
    await expectGone(page, held, secret);

    await begin(page, webhooks, 'Preflight');
    await dialog(page).getByLabel('URL', { exact: true }).fill('https://127.0.0.1:9/hooks');
    await inDialog(page, 'Preflight').click();
    await dialog(page).getByText('Events would not arrive.').waitFor();
    await expect(dialog(page).getByRole('listitem').allTextContents()).resolves.toEqual([
      'URL: https://127.0.0.1:9/hooks',
      'Addresses: 127.0.0.1',
      'Certificate: not seen',
      expect.stringMatching(/^Ping: .*connect/),
      expect.any(String),
    ]);
    await finish(page, 'Done');

    await begin(page, webhooks, 'Set the URL');
    expect(await dialog(page).getByLabel('URL', { exact: true }).inputValue()).toBe(receiver.url);
    await dialog(page).getByLabel('URL', { exact: true }).fill(`${receiver.url}/new`);
    await finish(page, 'Set the URL');
    await part(page, webhooks).getByText(`${receiver.url}/new`).waitFor();
    await begin(page, webhooks, 'Replace the secret');
    await inDialog(page, 'Replace the secret').click();
    const replaced = await secretIn(page, 'Signing secret');
    expect(replaced).not.toBe(secret);
    await expectGone(page, held, replaced);
    await begin(page, webhooks, 'Disable');
    await finish(page, 'Disable');
    await part(page, webhooks).getByText('disabled').waitFor();
    await begin(page, webhooks, 'Enable');
    await finish(page, 'Enable');
    await part(page, webhooks).getByText('enabled').waitFor();
    expect(await staff.webhook().getEndpoint(endpointOf(accountId))).toMatchObject({
      url: `${receiver.url}/new`,
      enabled: true,
    });

    await page.goto(`${await consoleUrl()}/suppliers/${readStack().suppliers.alpha!.accountId}`);
    await begin(page, webhooks, 'Preflight');
    await inDialog(page, 'Preflight').click();
    await dialog(page).getByText('Events would arrive.').waitFor();
    await expect(dialog(page).getByRole('listitem').allTextContents()).resolves.toEqual([
      expect.stringContaining(readStack().receiver.url),
      expect.stringMatching(/^Addresses: 127\.0\.0\.1|^Addresses: ::1/),
      expect.stringMatching(/^Certificate: .*, trusted$/),
      expect.stringMatching(/^Ping: .* 2\d\d/),
    ]);
    await page.context().close();
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

    const { page } = await openConsole(browser, {
      name: 'oli',
      role: 'staff:operator',
      path: `/suppliers/${accountId}`,
    });
    const failing = part(page, 'Webhooks of sandbox');
    await failing.getByText('failing since').waitFor();
    await failing.getByLabel('delivery state').selectOption('exhausted');
    const event = failing.locator('ul > li').filter({ hasText: first });
    await event.getByRole('button', { name: 'Read responses' }).click();
    await dialog(page).getByLabel('Reason').fill('what the receiver answered');
    await inDialog(page, 'Read responses').click();
    await dialog(page).getByText('500 (status)').nth(7).waitFor();
    await finish(page, 'Done');
    await event.getByRole('button', { name: 'Redeliver' }).click();
    await finish(page, 'Redeliver');
    const again = (await receiver.about(first, 9)).at(-1);
    await event.getByText(`redelivered as ${again?.envelope.id}`).waitFor();
    expect(await event.getByRole('button', { name: 'Redeliver' }).count()).toBe(0);

    await failing.getByRole('button', { name: 'Redeliver all exhausted' }).click();
    await dialog(page).getByLabel('Exhausted since, in UTC').fill(inField(-DAY_MS));
    await inDialog(page, 'Redeliver all exhausted').click();
    await dialog(page).getByText('Sending the current status of 1 submission.').waitFor();
    await finish(page, 'Done');
    await receiver.about(second, 9);

    // By the supplier's reference.
    await search(page, String(body.external_reference));
    await page.getByLabel('Supplier name contains').fill(api.name);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'sandbox' }).click();
    await submissionLink(page, first).click();
    await openAction(page, 'Send test event');
    await finish(page, 'Send test event');
    expect((await receiver.about(first, 10)).at(-1)?.envelope.data.submission_id).toBe(first);
    await page.context().close();
  });

  it.each([
    ['staff:viewer', ['State', 'Terms', 'Scheduled terms', 'Credentials', 'Webhooks of sandbox']],
    ['staff:billing', ['State', 'Terms']],
    ['staff:privacy', ['State', 'Terms']],
  ])(
    'shows %s what they may see, without actions, and makes no call that is refused',
    async (role, titles) => {
      const { accountId } = readStack().suppliers.alpha!;
      const path = `/suppliers/${accountId}`;
      const { page } = await openConsole(browser, { name: 'vic', role, path });
      const refused: string[] = [];
      page.on('response', (response) => {
        if (response.status() >= 400) refused.push(response.url());
      });
      await page.goto(`${await consoleUrl()}/suppliers/${accountId}`);
      for (const title of titles) await part(page, title).waitFor();
      await part(page, titles.at(-1) ?? '')
        .getByRole('heading', { level: 3 })
        .first()
        .waitFor();
      expect(await page.getByRole('group', { name: 'Actions' }).count()).toBe(0);
      expect(
        await part(page, titles.at(-1) ?? '')
          .getByRole('button', { name: /deliver|Read/ })
          .count(),
      ).toBe(0);
      expect(refused).toEqual([]);
      await page.context().close();
    },
  );

  it('has no accessibility barriers', async () => {
    const account = await newAccount();
    const { accountId } = account;
    await newEndpoint(accountId, receiver.url);
    const { submission_id } = await decided(await account.issue(), enquiry());
    await receiver.about(submission_id, 1);
    const { page, complaints } = await openConsole(browser, {
      ...{ name: 'sam', role: 'staff:admin', path: '/suppliers' },
    });
    await page.getByRole('row').nth(1).waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.goto(`${await consoleUrl()}/suppliers/${accountId}`);
    await submissionLink(page, submission_id).waitFor();
    await part(page, 'Credentials').getByRole('listitem').first().waitFor();
    expect(await barriers(page)).toEqual([]);
    await begin(page, 'State', 'Change');
    await dialog(page).getByText('Second person’s approval').click();
    expect(await barriers(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await page.context().close();
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
