import { randomUUID } from 'node:crypto';
import { fromBinary } from '@bufbuild/protobuf';
import { DecisionMode } from '@supplier/proto/common/v1/principal';
import { Environment, Status } from '@supplier/proto/common/v1/status';
import { ListWaitingDocumentsRequestSchema } from '@supplier/proto/document/v1/document';
import { newAccount, newSupplier } from '../harness/accounts.ts';
import { describeInBrowser, FAR_ZONE, type Page, suiteBrowser } from '../harness/browser.ts';
import { consoleUrl, logIn, openConsole } from '../harness/console.ts';
import { dialog, press } from '../harness/console-parts.ts';
import { enquiry } from '../harness/enquiries.ts';
import { staff } from '../harness/rpc.ts';
import { created } from '../harness/suppliers.ts';

describeInBrowser('what stands around the screens of the console', () => {
  it('asks visitors to log in, and then opens the page that they requested', async () => {
    const page = await (await suiteBrowser().newContext(FAR_ZONE)).newPage();
    const asked = `${await consoleUrl()}/submissions?queue=%5B1%5D`;
    await page.goto(asked);
    await logIn(page, 'una', 'staff:viewer');
    expect(page.url()).toBe(`${asked}&environment=${Environment.PRODUCTION}`);
  });

  it('opens in a browser whose locale is no language tag', async () => {
    const context = await suiteBrowser().newContext(FAR_ZONE);
    await context.addInitScript(
      `Object.defineProperty(navigator, 'language', { configurable: true, value: 'en-US@posix' })`,
    );
    await created(await newSupplier(), enquiry());
    const page = await context.newPage();
    await page.goto(`${await consoleUrl()}/?environment=${Environment.SANDBOX}`);
    await logIn(page, 'una', 'staff:viewer');
    await page.locator('.uplot').first().waitFor();
  });

  it('names the page after its screen, and moves keyboard and screen reader focus there on navigation', async () => {
    const { page } = await openConsole({ name: 'tia', role: 'staff:viewer' });
    expect(await page.title()).toBe('Overview · Production · Supplier submissions');
    for (const screen of ['Submissions', 'Suppliers', 'Overview']) {
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: screen }).click();
      await page.locator('#screen:focus').waitFor();
      expect(await page.title()).toBe(`${screen} · Production · Supplier submissions`);
    }
  });

  it('highlights the screen in the navigation that each page belongs to', async () => {
    const { accountId } = await newAccount();
    const { page } = await openConsole({ name: 'ugo', role: 'staff:admin' });
    const current = page.getByRole('navigation', { name: 'Main' }).locator('[aria-current=page]');
    for (const [path, screen] of [
      ['/', 'Overview'],
      ['/submissions?queue=%5B1%5D', 'Submissions'],
      [`/submissions/${randomUUID()}`, 'Submissions'],
      [`/suppliers/${accountId}`, 'Suppliers'],
      [`/suppliers/${accountId}/statements/2026-11`, 'Billing'],
      ['/policies/decision/1', 'Policies'],
    ]) {
      await page.goto(`${await consoleUrl()}${path}`);
      await current.first().waitFor();
      expect({ path, current: await current.allTextContents() }).toEqual({ path, current: [screen] });
    }
  });

  it('shows the queues of one environment, production first, and remembers the one that is chosen', async () => {
    const { page, complaints } = await openConsole({ name: 'tod', role: 'staff:viewer' });
    const counted = new Promise<Environment>((resolve) =>
      page.on('request', (request) => {
        const body = request.postDataBuffer();
        if (!request.url().endsWith('/ListWaitingDocuments') || !body) return;
        const { environment } = fromBinary(ListWaitingDocumentsRequestSchema, body);
        if (environment === Environment.SANDBOX) resolve(environment);
      }),
    );
    const decisions = page.getByRole('link', { name: 'Awaiting decision', exact: true });
    await decisions.waitFor();
    expect(await decisions.getAttribute('href')).toContain(`environment=${Environment.PRODUCTION}`);
    await page.getByText('Sandbox', { exact: true }).click();
    await page.locator('[data-environment=sandbox]').waitFor();
    expect(await page.title()).toBe('Overview · Sandbox · Supplier submissions');
    expect(await counted).toBe(Environment.SANDBOX);
    expect(await decisions.getAttribute('href')).toContain(`environment=${Environment.SANDBOX}`);
    await page.reload();
    await decisions.waitFor();
    expect(await decisions.getAttribute('href')).toContain(`environment=${Environment.SANDBOX}`);
    await page.goto(`${await consoleUrl()}/?environment=${Environment.PRODUCTION}`);
    await page.locator('[data-environment=production]').waitFor();
    expect(complaints).toEqual([]);
  });

  it('keeps the environment in the URL of each tab, on every screen and in shared links', async () => {
    const { submission_id: id } = await created(await newSupplier(), enquiry());
    const { page } = await openConsole({ name: 'tod', role: 'staff:viewer', path: '/webhooks' });
    const environmentIn = (tab: Page) => new URL(tab.url()).searchParams.get('environment');
    const shows = (tab: Page, name: string) => tab.locator(`[data-environment=${name}]`).waitFor();
    await shows(page, 'production');
    expect(environmentIn(page)).toBe(String(Environment.PRODUCTION));
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByText('Sandbox', { exact: true }).click();
    await shows(other, 'sandbox');
    await page.getByRole('link', { name: 'Suppliers', exact: true }).click();
    await page.reload();
    await page.getByRole('heading', { name: 'Suppliers', level: 1 }).waitFor();
    await shows(page, 'production');
    await other.goto(page.url());
    await shows(other, 'production');
    // The environment of a submission is its own, whatever the link says.
    await other.goto(`${await consoleUrl()}/submissions/${id}?environment=${Environment.PRODUCTION}`);
    await shows(other, 'sandbox');
    await other.waitForURL(/environment=1/);
    await other.getByText('Production', { exact: true }).click();
    await other.waitForURL((url) => url.pathname === '/submissions');
    await shows(other, 'production');
  });

  it('offers no more than the user’s current roles permit', async () => {
    const { page } = await openConsole({ name: 'tom', role: 'staff:admin' });
    const screens = page.getByRole('navigation', { name: 'Main' });
    await screens.getByText('Audit log').waitFor();
    // As after a token renewal at a provider that has removed the role.
    await page.route('**/rpc/**', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, headers: { ...response.headers(), 'console-roles': 'staff:billing' } });
    });
    await screens.getByRole('link', { name: 'Billing' }).click();
    await screens.getByText('Audit log').waitFor({ state: 'detached' });
    expect(await screens.getByRole('link').allTextContents()).toEqual(['Overview', 'Billing', 'Reports']);
    await page.getByRole('button', { name: 'Account: tom' }).click();
    await page.getByRole('dialog', { name: 'Account' }).getByText('billing', { exact: true }).waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('keeps an open dialog after the role is removed, until the user has finished with it', async () => {
    const api = await newSupplier({ decisionMode: DecisionMode.STAFF });
    const { submission_id } = await created(api, enquiry());
    const path = `/submissions/${submission_id}`;
    const { page } = await openConsole({ name: 'uma', role: 'staff:operator', path });
    await press(page.locator('main'), 'Reject');
    await dialog(page).getByLabel('Reason').fill('no trading record');
    let answered = 0;
    await page.route('**/rpc/**', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, headers: { ...response.headers(), 'console-roles': 'staff:viewer' } });
      answered += 1;
    });
    await staff
      .submission()
      .decideSubmission({ submissionId: submission_id, decision: Status.REJECTED, reason: 'faster' });
    await press(dialog(page), 'Reject');
    await dialog(page).getByRole('alert').getByText('decided, by').waitFor();
    expect(answered).toBeGreaterThan(0);
    expect(await dialog(page).getByLabel('Reason').inputValue()).toBe('no trading record');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Reject', exact: true }).waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: 'More ▾' }).count()).toBe(0);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('keeps the saved views of each person to that person, until they log out everywhere', async () => {
    const { page } = await openConsole({
      name: 'ivo',
      role: 'staff:viewer',
      path: '/submissions?queue=%5B1%5D',
    });
    const context = page.context();
    const views = async () => {
      await page.getByRole('button', { name: 'Views ▾' }).click();
      await dialog(page).getByLabel('Name of the view').waitFor();
      return dialog(page).getByRole('link').allTextContents();
    };
    const logInAs = async (name: string) => {
      await context.clearCookies();
      await page.goto(`${await consoleUrl()}/submissions`);
      await logIn(page, name, 'staff:viewer');
    };
    expect(await views()).toEqual([]);
    await dialog(page).getByLabel('Name of the view').fill('Mr Field');
    await press(dialog(page), 'Save');
    await dialog(page).getByRole('link', { name: 'Mr Field' }).waitFor();
    await logInAs('uwe');
    expect(await views()).toEqual([]);
    await logInAs('ivo');
    expect(await views()).toEqual(['Mr Field']);
    await dialog(page).getByRole('link', { name: 'Mr Field' }).click();
    await page.waitForURL(/queue=%5B1%5D/);
    await page.getByRole('button', { name: 'Queue: Awaiting decision' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Account: ivo' }).click();
    await page.getByRole('button', { name: 'Log out everywhere' }).click();
    await page.getByText('You are logged out of the console').waitFor();
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('Mr Field');
  });
});
