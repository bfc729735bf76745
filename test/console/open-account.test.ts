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
import { describeInBrowser, type Page } from '../harness/browser.ts';
import { openConsole } from '../harness/console.ts';
import { commandIn, dialog, finish, inDialog, refusal } from '../harness/console-acts.ts';
import { staff } from '../harness/rpc.ts';
import { checkout, staffShell } from '../harness/staff-cli.ts';

const OPEN = 'Open an account';
const named = async (name: string) =>
  (await staff.account().listAccounts({ nameContains: name })).accounts.map(({ accountId }) => accountId);

/** Fills in only the required fields, some without effect. */
async function stateTheLeast(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: OPEN, exact: true }).click();
  await dialog(page).getByLabel('Name').fill(name);
  await dialog(page).getByLabel('read', { exact: true }).check({ force: true });
  await dialog(page).getByLabel('Billing model').selectOption('Accepted submission');
  await dialog(page).getByLabel('Decision mode').selectOption('Staff');
  await dialog(page).getByLabel('Application creation').selectOption('On acceptance');
  expect(await inDialog(page, OPEN).isDisabled()).toBe(true);
  await dialog(page).getByLabel('Failed pre-underwriting').selectOption('Queue for staff');
}

describeInBrowser('opening an account in the console', () => {
  const shell = staffShell();
  afterAll(async () => {
    shell.close();
  });

  it('opens exactly what was entered, keeps the input after a refusal, and shows the next steps', async () => {
    const { page, complaints } = await openConsole({
      ...{ name: 'ada', role: 'staff:admin', path: '/suppliers' },
    });
    const name = `it's ${randomUUID()}`;
    await stateTheLeast(page, name);
    await dialog(page).getByLabel('promote', { exact: true }).check({ force: true });
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
    await inDialog(page, OPEN).click();
    await dialog(page).getByText('issue a credential and create an endpoint').waitFor();
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
    await dialog(page).getByRole('link', { name }).click();
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
    await inDialog(page, OPEN).click();
    await dialog(page).getByText('issue a credential and create an endpoint').waitFor();
    expect(await named(name)).toEqual(once);
    await finish(page, 'Done');

    // Another account with the same name needs confirmation, and is opened once too.
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
    await inDialog(page, OPEN).click();
    await finish(page, 'Done');
    expect(await named(name)).toHaveLength(2);
    await page.getByRole('table', { name: 'Suppliers' }).getByRole('link', { name }).nth(1).waitFor();
  });

  it('is not offered to an operator', async () => {
    const { page } = await openConsole({ name: 'oli', role: 'staff:operator', path: '/suppliers' });
    await page.getByRole('button', { name: 'Refresh' }).waitFor();
    expect(await page.getByRole('button', { name: OPEN }).count()).toBe(0);
  });
});
