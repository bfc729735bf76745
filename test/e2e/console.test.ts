import { create, toBinary } from '@bufbuild/protobuf';
import { DecisionMode } from '@supplier/proto/common/v1/principal';
import { RefusalSchema } from '@supplier/proto/common/v1/refusal';
import { Environment, Status } from '@supplier/proto/common/v1/status';
import { barriers } from '../harness/accessibility.ts';
import { newSupplier } from '../harness/accounts.ts';
import { describeInBrowser, type Page } from '../harness/browser.ts';
import { consoleUrl, logIn, openConsole } from '../harness/console.ts';
import { dialog, filled, openAction, submissionLink } from '../harness/console-parts.ts';
import { enquiry, newReference } from '../harness/enquiries.ts';
import { submissionOf } from '../harness/responses.ts';
import { staff } from '../harness/rpc.ts';
import { serializeFiles } from '../harness/serialize-files.ts';
import { created, isBilled, settled } from '../harness/suppliers.ts';

// One file creates a hundred submissions, which would displace the newest submissions that the other searches.
serializeFiles('newest leads');

const reason = 'trading record seen';

const accepts = (page: Page) => page.getByRole('button', { name: 'Accept', exact: true });

describeInBrowser("the staff's console", () => {
  let staffed: Awaited<ReturnType<typeof newSupplier>>;
  beforeAll(async () => {
    staffed = await newSupplier({ decisionMode: DecisionMode.STAFF });
  });
  it('lets an operator decide a pending submission, and tells the second of two users that it has been decided', async () => {
    const { submission_id } = await created(staffed, enquiry());
    const path = `/submissions/${submission_id}`;
    const [first, second] = await Promise.all(
      ['ada', 'bob'].map((name) => openConsole({ name, role: 'staff:operator', path })),
    );
    for (const { page } of [first!, second!]) {
      await accepts(page).click();
      await expect(dialog(page).textContent()).resolves.toMatch(/is notified that .* cannot be undone/s);
      await dialog(page).getByLabel('Reason').fill(reason);
    }
    expect(await barriers(first!.page)).toEqual([]);
    expect(await dialog(first!.page).textContent()).toContain(
      `sss submissions decide ${submission_id} --decision accepted --reason '${reason}' --yes`,
    );
    await dialog(first!.page).getByRole('button', { name: 'Accept', exact: true }).click();
    await dialog(first!.page).waitFor({ state: 'detached' });
    await first!.page.getByText(`Accepted by staff: ${reason}`).waitFor();
    expect(submissionOf(await staffed.read(submission_id), 200)).toMatchObject({ status: 'accepted' });

    // The second user's page has been updated by now; their unfinished input is still there.
    await second!.page.locator('.page-header').getByText('Accepted', { exact: true }).waitFor();
    expect(await dialog(second!.page).getByLabel('Reason').inputValue()).toBe(reason);
    await dialog(second!.page).getByRole('button', { name: 'Accept', exact: true }).click();
    const refused = await dialog(second!.page).getByRole('alert').textContent();
    expect(refused).toContain('ada');
    expect([...first!.complaints, ...second!.complaints]).toEqual([]);
  });

  it('lets a viewer look but change nothing, even with forged requests', async () => {
    const { submission_id } = await created(staffed, enquiry());
    const { page } = await openConsole({
      name: 'vic',
      role: 'staff:viewer',
      path: `/submissions/${submission_id}`,
    });
    await page.getByRole('heading', { name: 'Timeline' }).waitFor();
    await page.getByText('Received, awaiting decision by staff').waitFor();
    expect(await accepts(page).count()).toBe(0);
    const forged = await page.evaluate(async (submissionId) => {
      const answer = await fetch(
        '/rpc/submission/supplier.submission.v1.SubmissionService/DecideSubmission',
        {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'connect-protocol-version': '1',
            'console-person': 'vic',
          },
          body: JSON.stringify({ submissionId, decision: 'STATUS_ACCEPTED', reason: 'forged' }),
        },
      );
      return { status: answer.status, body: await answer.text() };
    }, submission_id);
    expect(forged).toMatchObject({ status: 403, body: expect.stringContaining('permission_denied') });
    expect(submissionOf(await staffed.read(submission_id), 200)).toMatchObject({ status: 'received' });
  });

  it('shows why a lead is not billable, three clicks from the overview', async () => {
    const supplier = await newSupplier({});
    const submitted = await created(supplier, enquiry());
    await settled(supplier, submitted.submission_id, 'billed', isBilled);
    const { page, complaints } = await openConsole({
      name: 'mona',
      role: 'staff:viewer',
      path: `/?environment=${Environment.SANDBOX}`,
    });
    await page.getByRole('heading', { name: 'Awaiting decision' }).first().waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.getByRole('link', { name: 'View not billable submissions' }).click();
    await page.waitForURL(/submissions/);
    // Other tests may have sent so many meanwhile that it is no longer among the first.
    const list = new URL(page.url());
    list.searchParams.set('account', supplier.accountId);
    await page.goto(list.href);
    await submissionLink(page, submitted.submission_id).click();
    await page.getByText('Sandbox submissions are never charged.').waitFor();
    expect(complaints).toEqual([]);
  });

  it('shows invisible characters in a reference wherever a user decides', async () => {
    const hidden = '\u202e\u200b';
    const { submission_id } = await created(
      staffed,
      enquiry({ external_reference: `${newReference()}${hidden}` }),
    );
    const { page } = await openConsole({
      name: 'ira',
      role: 'staff:admin',
      path: `/submissions?queue=1&both=yes&account=${staffed.accountId}`,
    });
    const row = page.getByRole('row').filter({ has: submissionLink(page, submission_id) });
    const seen = [await row.textContent()];
    await submissionLink(page, submission_id).click();
    for (const name of ['Accept', 'Erase']) {
      await openAction(page, name);
      seen.push(await dialog(page).textContent());
      await page.keyboard.press('Escape');
      await dialog(page).waitFor({ state: 'detached' });
    }
    seen.push(await page.locator('main').textContent());
    expect(seen).toEqual(seen.map(() => expect.stringContaining('\\u202e\\u200b')));
    expect(seen.join('')).not.toMatch(/[\u202e\u200b]/);
  });

  it('shows control, bidi and invisible characters of a supplier’s name as escapes', async () => {
    const { accountId } = staffed;
    await created(staffed, enquiry());
    const { name } = await staff.account().getAccount({ accountId });
    // The account service refuses such names, so responses are changed. Their length stays the same.
    const hidden = '\u202e\u200b\u0007\n';
    const start = name.slice(0, -Buffer.byteLength(hidden));
    const forge = (body: Buffer) =>
      body.toString('latin1').replaceAll(name, Buffer.from(`${start}${hidden}`).toString('latin1'));
    const seen: [string, string | null][] = [];
    for (const [role, paths] of [
      ['staff:admin', ['/suppliers', `/submissions?account=${accountId}`, `/suppliers/${accountId}`]],
      ['staff:billing', [`/billing?account=${accountId}`, `/suppliers/${accountId}/statements/2026-10`]],
    ] as const) {
      const { page } = await openConsole({ name: 'ada', role, path: '/find' });
      await page.route('**/*.AccountService/*', async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, body: Buffer.from(forge(await response.body()), 'latin1') });
      });
      for (const path of paths) {
        await page.goto(`${await consoleUrl()}${path}`);
        await page.locator('main').getByText(start).first().waitFor();
        seen.push([path, await page.locator('main').textContent()]);
      }
      if (role === 'staff:admin') {
        await openAction(page, 'Suspend');
        seen.push(['Suspend', await dialog(page).textContent()]);
      }
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await page.context().close();
    }
    const escaped = expect.stringContaining(`${start}\\u202e\\u200b\\u0007\\n`);
    expect(seen).toEqual(seen.map(([where]) => [where, escaped]));
    expect(JSON.stringify(seen)).not.toMatch(/[\u202e\u200b]/);
  });

  it('loads its first list with at most 250 KiB in at most 15 requests', async () => {
    const { page } = await openConsole({ name: 'mona', role: 'staff:admin', path: '/submissions' });
    await filled(page);
    const loaded = await page.evaluate<{ name: string; transferSize: number }[]>(
      "['navigation', 'resource'].flatMap((type) => performance.getEntriesByType(type).map((entry) => entry.toJSON()))",
    );
    // Polling repeats requests, and names come in pages.
    const requests = new Set(loaded.map(({ name }) => name).filter((name) => name.startsWith('http')));
    const code = loaded.filter(({ name }) => !/\/(?:rpc|session)\b/.test(name));
    const kib = code.reduce((sum, { transferSize }) => sum + transferSize, 0) / 1_024;
    expect(kib).toBeGreaterThan(100);
    expect(kib).toBeLessThanOrEqual(250);
    expect(requests.size).toBeLessThanOrEqual(15);
  });

  it('links to no screen that the role may not open, and explains that to users who open one by URL', async () => {
    const { page } = await openConsole({ name: 'bill', role: 'staff:billing' });
    await page.getByRole('main').locator('a[href^="/billing"]').waitFor();
    expect(await page.locator('a[href^="/submissions"]').count()).toBe(0);
    await page.goto(`${await consoleUrl()}/submissions`);
    await page.getByText('Your role can’t open this').waitFor();
  });

  it('keeps the input when the session ends during an action', async () => {
    const { submission_id } = await created(staffed, enquiry());
    const path = `/submissions/${submission_id}`;
    const { page } = await openConsole({ name: 'cleo', role: 'staff:operator', path });
    await accepts(page).click();
    await dialog(page).getByLabel('Reason').fill(reason);
    const context = page.context();
    await context.clearCookies();
    await dialog(page).getByRole('button', { name: 'Accept', exact: true }).click();
    await dialog(page).getByRole('alert').waitFor();

    const beside = await context.newPage();
    await beside.goto(`${await consoleUrl()}/login`);
    await logIn(beside, 'cleo', 'staff:operator');
    expect(await dialog(page).getByLabel('Reason').inputValue()).toBe(reason);
    await dialog(page).getByRole('button', { name: 'Accept', exact: true }).click();
    await page.getByText(`Accepted by staff: ${reason}`).waitFor();
  });

  it('puts the violations of a refused request at their fields, and keeps the input', async () => {
    const { submission_id } = await created(staffed, enquiry());
    const path = `/submissions/${submission_id}`;
    const { page } = await openConsole({ name: 'fay', role: 'staff:operator', path });
    const refusal = create(RefusalSchema, { violations: [{ path: 'reason', message: 'is a test’s own' }] });
    const value = Buffer.from(toBinary(RefusalSchema, refusal)).toString('base64');
    await page.route('**/DecideSubmission', (route) =>
      route.fulfill({
        status: 400,
        json: {
          code: 'invalid_argument',
          message: 'Invalid.',
          details: [{ type: RefusalSchema.typeName, value }],
        },
      }),
    );
    await accepts(page).click();
    const field = dialog(page).getByLabel('Reason');
    await field.fill(reason);
    await dialog(page).getByRole('button', { name: 'Accept', exact: true }).click();
    await dialog(page).getByText('Is a test’s own.', { exact: true }).waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await field.inputValue()).toBe(reason);
  });

  it('refuses actions after another user has logged in in the same browser', async () => {
    const { submission_id } = await created(staffed, enquiry());
    const path = `/submissions/${submission_id}`;
    const { page } = await openConsole({ name: 'dora', role: 'staff:operator', path });
    await accepts(page).click();
    await dialog(page).getByLabel('Reason').fill(reason);
    const beside = await page.context().newPage();
    await beside.goto(`${await consoleUrl()}/login`);
    await logIn(beside, 'eve', 'staff:admin');
    await dialog(page).getByRole('button', { name: 'Accept', exact: true }).click();
    await dialog(page).getByRole('alert').waitFor();
    expect(submissionOf(await staffed.read(submission_id), 200)).toMatchObject({ status: 'received' });
  });

  it('works by keyboard only: submissions are found, decided and read without a pointer', async () => {
    const { submission_id } = await created(staffed, enquiry());
    const { page } = await openConsole({ name: 'kay', role: 'staff:operator' });
    await page.keyboard.press('/');
    await page.getByRole('textbox', { name: 'Search' }).waitFor();
    await page.keyboard.type(submission_id);
    await page.getByRole('button', { name: `Search for “${submission_id}”` }).waitFor();
    await page.keyboard.press('Enter');
    await accepts(page).waitFor();
    for (let tabs = 0; tabs < 20; tabs += 1) {
      await page.keyboard.press('Tab');
      if (await accepts(page).evaluate((button) => button.matches(':focus'))) break;
    }
    await page.keyboard.press('Enter');
    await dialog(page).waitFor();
    await page.keyboard.type(reason);
    await page.keyboard.press('Enter');
    await page.getByText(`Accepted by staff: ${reason}`).waitFor();
    expect(await barriers(page)).toEqual([]);
    expect(await staff.submission().getSubmission({ submissionId: submission_id })).toMatchObject({
      status: Status.ACCEPTED,
    });
  });
});
