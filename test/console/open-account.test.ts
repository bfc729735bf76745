import { randomUUID } from 'node:crypto';
import { AccountState } from '@supplier/proto/account/v1/account';
import { BusinessSector, TradingDuration } from '@supplier/proto/common/v1/enquiry';
import {
  ApplicationMinting,
  DecisionMode,
  PreUnderwritingFailure,
  Scope,
} from '@supplier/proto/common/v1/principal';
import { BillingModel } from '@supplier/proto/common/v1/status';
import { barriers } from '../harness/accessibility.ts';
import { describeInBrowser, type Locator, type Page } from '../harness/browser.ts';
import { openConsole } from '../harness/console.ts';
import {
  begin,
  commandIn,
  dialog,
  finish,
  inDialog,
  openSection,
  openTab,
  part,
  refusal,
  secretIn,
} from '../harness/console-acts.ts';
import { startReceiver } from '../harness/endpoints.ts';
import { staff } from '../harness/rpc.ts';
import { checkout, staffShell } from '../harness/staff-cli.ts';

const OPEN = 'Open an account';
const SECTIONS = ['Decisions and billing', 'Acceptance thresholds', 'Caps', 'Enrolments', 'Rate limits'];
const button = (place: Locator, name: string) => place.getByRole('button', { name, exact: true });
const named = async (name: string) =>
  (await staff.account().listAccounts({ nameContains: name })).accounts.map(({ accountId }) => accountId);

/** Fills in only what has no default. */
async function stateTheLeast(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: OPEN, exact: true }).click();
  expect(await inDialog(page, OPEN).isDisabled()).toBe(true);
  await dialog(page).getByLabel('Name').fill(name);
}

describeInBrowser('opening an account in the console', () => {
  const shell = staffShell();
  afterAll(async () => {
    shell.close();
  });

  it('opens exactly what was entered, and keeps the input after a refusal', async () => {
    const { page, complaints } = await openConsole({
      ...{ name: 'ada', role: 'staff:admin', path: '/suppliers' },
    });
    const name = `it's ${randomUUID()}`;
    await stateTheLeast(page, name);
    await dialog(page).getByLabel('create:application', { exact: true }).uncheck({ force: true });
    await dialog(page).getByLabel('promote', { exact: true }).check({ force: true });
    for (const section of SECTIONS) await openSection(page, section);
    await dialog(page).getByLabel('Decision mode').selectOption('Staff');
    await dialog(page).getByLabel('Failed pre-underwriting').selectOption('Queue for staff');
    await dialog(page).getByLabel('Transport', { exact: true }).check({ force: true });
    await dialog(page).getByLabel('arrival screen').check({ force: true });
    await dialog(page).getByLabel('Minimum trading duration').selectOption('2–5 years');
    await dialog(page).getByLabel('accepted per day').fill('0');
    await dialog(page).getByLabel('reads per minute').fill('60');
    expect(await dialog(page).getByLabel('Idempotency key').count()).toBe(0);
    await dialog(page).getByLabel('minimum funding amount').fill('500');
    await dialog(page).getByLabel('maximum funding amount').fill('400');
    expect(await barriers(page)).toEqual([]);
    await inDialog(page, OPEN).click();
    await expect(refusal(page).textContent()).resolves.toBe(
      'The request is inconsistent. Maximum funding amount must not be below minimum funding amount.',
    );
    const maximum = dialog(page).getByLabel('maximum funding amount');
    const violation = dialog(page).getByText('Must not be below minimum funding amount.', { exact: true });
    expect((await maximum.getAttribute('aria-describedby'))?.split(' ')).toContain(
      await violation.getAttribute('id'),
    );
    expect(await maximum.inputValue()).toBe('400');
    expect(await named(name)).toEqual([]);
    await maximum.fill('5000');
    const command = await commandIn(page);
    await finish(page, OPEN);
    const [accountId = ''] = await named(name);
    const expected = {
      name,
      state: AccountState.ACTIVE,
      permittedScopes: [Scope.READ, Scope.PROMOTE],
      terms: {
        billingModel: BillingModel.ACCEPTED_SUBMISSION,
        decisionMode: DecisionMode.STAFF,
        applicationMinting: ApplicationMinting.ON_ACCEPTANCE,
        preUnderwritingFailure: PreUnderwritingFailure.QUEUE_FOR_STAFF,
        thresholds: {
          minimumFundingAmount: 500,
          maximumFundingAmount: 5_000,
          excludedSectors: [BusinessSector.TRANSPORT],
          minimumTradingDuration: TradingDuration.TRADING_DURATION_2_5_YEARS,
        },
        caps: { acceptedPerDay: 0 },
        enrolments: { arrivalScreen: true, documentFirst: false },
      },
      limits: { readsPerMinute: 60 },
    };
    const opened = await staff.account().getAccount({ accountId });
    expect(opened).toMatchObject(expected);
    expect([opened.terms?.caps?.acceptedPerMonth, opened.limits?.writesPerMinute]).toEqual([
      undefined,
      undefined,
    ]);
    await page.waitForURL(new RegExp(`/suppliers/${accountId}\\?`));
    await page.getByRole('heading', { level: 1, name }).waitFor();

    const { code } = await shell.program('sh', ['-c', command], '', {
      PATH: `${checkout}/node_modules/.bin:${process.env.PATH}`,
    }).ended;
    expect(code).toBe(0);
    const [latest = ''] = await named(name);
    expect(latest).not.toBe(accountId);
    expect({ ...(await staff.account().getAccount({ accountId: latest })), accountId }).toEqual(opened);
    expect(complaints).toEqual([]);
  });

  it('opens the account once when the response is lost and the button is pressed again', async () => {
    const { page } = await openConsole({ name: 'ada', role: 'staff:admin', path: '/suppliers' });
    const name = `test ${randomUUID()}`;
    await stateTheLeast(page, name);
    const loseAnswer = () =>
      page.route('**/CreateAccount', async (route) => {
        await route.fetch();
        await route.abort();
      });
    await loseAnswer();
    await inDialog(page, OPEN).click();
    await dialog(page).getByText('No response. Try again').waitFor();
    await page.unroute('**/CreateAccount');
    const once = await named(name);
    expect(once).toHaveLength(1);
    await finish(page, OPEN);
    expect(await named(name)).toEqual(once);
    await page.getByRole('heading', { level: 1, name }).waitFor();

    // Another account with the same name needs confirmation, and is opened once too.
    await page.getByRole('link', { name: 'Suppliers' }).first().click();
    await stateTheLeast(page, name);
    await inDialog(page, OPEN).click();
    await dialog(page).getByRole('list', { name: 'Accounts with this name' }).getByRole('link').waitFor();
    await expect(refusal(page).textContent()).resolves.toContain('An account with this name exists');
    expect(await inDialog(page, OPEN).isDisabled()).toBe(true);
    expect(await named(name)).toEqual(once);
    await dialog(page).getByLabel('Open another account with this name').check({ force: true });
    await loseAnswer();
    await inDialog(page, OPEN).click();
    await dialog(page).getByText('No response. Try again').waitFor();
    await page.unroute('**/CreateAccount');
    await finish(page, OPEN);
    expect(await named(name)).toHaveLength(2);
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page.getByRole('link', { name: 'Suppliers' }).first().click();
    await page.getByRole('table', { name: 'Suppliers' }).getByRole('link', { name }).nth(1).waitFor();
  });

  it('leads through credential, endpoint and test event in at most 30 steps, also after a reload', async () => {
    const receiver = await startReceiver();
    const { page, complaints } = await openConsole({ name: 'ada', role: 'staff:admin', path: '/suppliers' });
    let steps = 0;
    const step = (done: Promise<unknown>) => {
      steps += 1;
      return done;
    };
    const name = `test ${randomUUID()}`;
    await step(page.getByRole('button', { name: OPEN, exact: true }).click());
    await step(dialog(page).getByLabel('Name').fill(name));
    await step(finish(page, OPEN));
    const setup = part(page, 'Set up in the sandbox');
    const stepOf = (title: string) => setup.getByRole('listitem', { name: title });
    await stepOf('2. Credential').getByText('To do').waitFor();
    expect(await button(setup, 'Send test event').isDisabled()).toBe(true);
    expect(await barriers(page)).toEqual([]);

    await step(button(setup, 'Issue a credential').click());
    await step(inDialog(page, 'Issue a credential').click());
    await inDialog(page, 'Done').click();
    await dialog(page).getByText('Have you copied it?').waitFor();
    expect(await inDialog(page, 'Close without copying').count()).toBe(1);
    await step(inDialog(page, 'Copy').click());
    await step(finish(page, 'Done'));
    await page.reload();
    await stepOf('2. Credential').getByText('Done').waitFor();

    await step(button(setup, 'Create an endpoint').click());
    await step(dialog(page).getByLabel('URL', { exact: true }).fill(receiver.url));
    await step(inDialog(page, 'Create an endpoint').click());
    steps += 2;
    await secretIn(page, 'Signing secret');
    await stepOf('3. Webhook endpoint').getByText(receiver.url).waitFor();

    receiver.answers = 404;
    await step(button(setup, 'Send test event').click());
    const test = stepOf('4. Test event');
    await test.getByText('The receiver responded with status 404 instead of 2xx.').waitFor();
    expect(await test.getByText('Done', { exact: true }).count()).toBe(0);
    await test.getByText('Failed', { exact: true }).first().waitFor();
    receiver.answers = 204;
    await step(button(setup, 'Send test event').click());
    await test.getByText('Ready to receive events.').waitFor();
    await test.getByText('Done', { exact: true }).waitFor();
    expect(await barriers(page)).toEqual([]);
    expect(steps).toBeLessThanOrEqual(30);

    // Also from the endpoint's own panel, where its latest submission would be sent.
    await openTab(page, 'Webhooks');
    await begin(page, 'Sandbox endpoint', 'Send test event');
    await dialog(page).getByText('sends a signed sample event').waitFor();
    await inDialog(page, 'Send test event').click();
    await dialog(page).getByText('Ready to receive events.').waitFor();
    await finish(page, 'Done');
    expect(complaints).toEqual([]);
    await receiver.close();
  });

  it('is not offered to an operator', async () => {
    const { page } = await openConsole({ name: 'oli', role: 'staff:operator', path: '/suppliers' });
    await page.getByRole('button', { name: 'Refresh' }).waitFor();
    expect(await page.getByRole('button', { name: OPEN }).count()).toBe(0);
  });
});
