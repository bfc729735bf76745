import { randomUUID } from 'node:crypto';
import { create, toBinary } from '@bufbuild/protobuf';
import { CheckApprovalResponseSchema } from '@supplier/proto/approval/v1/approval';
import { DecisionMode } from '@supplier/proto/common/v1/principal';
import { Status } from '@supplier/proto/common/v1/status';
import { PolicyKind, PolicyService } from '@supplier/proto/submission/v1/policies';
import { newAccount, newSupplier } from '../harness/accounts.ts';
import { describeInBrowser, type Page } from '../harness/browser.ts';
import { consoleUrl, openConsole } from '../harness/console.ts';
import { begin, finish, inDialog } from '../harness/console-acts.ts';
import { dialog, part, press, submissionLink } from '../harness/console-parts.ts';
import { newEndpoint, startReceiver } from '../harness/endpoints.ts';
import { enquiry, fullEnquiry } from '../harness/enquiries.ts';
import { rpcClient, staff } from '../harness/rpc.ts';
import { created, decided } from '../harness/suppliers.ts';

/** Counts what a person does: clicks, keys outside of fields, and fields that are filled in. */
const COUNTED = `
  const steps = () => Number(sessionStorage.getItem('steps'));
  const count = () => sessionStorage.setItem('steps', String(steps() + 1));
  const filled = new WeakSet();
  addEventListener('pointerdown', count, true);
  addEventListener('keydown', ({ target }) => { if (!target.matches('input, textarea, select')) count(); }, true);
  addEventListener('input', ({ target }) => {
    if (target.matches('[type=checkbox], [type=radio]') || filled.has(target)) return;
    filled.add(target);
    count();
  }, true);
`;

/** Opens a screen on which every step is counted from now on. */
async function begun(role: string, path: string, name = 'ned'): Promise<Page> {
  const { page } = await openConsole({ name, role });
  await page.addInitScript(COUNTED);
  await page.goto(`${await consoleUrl()}${path}`);
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  return page;
}
const ENFORCED = create(CheckApprovalResponseSchema, { reasons: ['policy'], enforced: true });
const stepsOn = (page: Page) => page.evaluate<number>(`Number(sessionStorage.getItem('steps'))`);
const go = (page: Page, screen: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: screen }).click();

/** Finds a person by email, and continues with the only match. */
async function findPerson(page: Page, email: string): Promise<void> {
  await go(page, 'Data requests');
  const find = part(page, 'Find');
  await find.getByLabel('Email').fill(email);
  await find.getByLabel('Purpose').fill('request 21');
  await press(find, 'Find applicant');
  await part(page, 'Check the matches')
    .getByRole('checkbox', { name: /^Select / })
    .last()
    .check();
  await page.getByRole('button', { name: /^Continue with 1 submission/ }).click();
}
const newEmail = () => `p${randomUUID()}@example.com`;

describeInBrowser('the tasks of staff in the console', () => {
  it('find what a supplier asks about, and why it is billed, in three steps', async () => {
    const { submission_id, external_reference } = await decided(await newSupplier(), enquiry());
    const page = await begun('staff:operator', '/');
    await page.keyboard.press('/');
    await page.getByRole('textbox', { name: 'Search' }).fill(external_reference);
    await page.getByRole('button', { name: new RegExp(`^${external_reference} `) }).click();
    await page.waitForURL(new RegExp(`/submissions/${submission_id}`));
    await page.locator('.page-header').getByText('Not billable · sandbox').waitFor();
    expect(await stepsOn(page)).toBeLessThanOrEqual(3);
  });

  it('decide three submissions in eight steps', async () => {
    const api = await newSupplier({ decisionMode: DecisionMode.STAFF });
    const sent = await Promise.all([enquiry(), enquiry(), enquiry()].map((one) => created(api, one)));
    const page = await begun('staff:operator', `/submissions?both=yes&account=${api.accountId}`);
    await submissionLink(page, sent[2]?.submission_id ?? '').waitFor();
    await page.getByRole('checkbox', { name: 'Select all loaded submissions' }).check({ force: true });
    await press(page.getByRole('region', { name: 'Selected submissions' }), 'Accept');
    await dialog(page).getByLabel('Reason').fill('trading record seen');
    await press(dialog(page), 'Accept');
    await press(dialog(page), 'Done');
    for (const { submission_id: submissionId } of sent)
      expect((await staff.submission().getSubmission({ submissionId })).status).toBe(Status.ACCEPTED);
    expect(await stepsOn(page)).toBeLessThanOrEqual(8);
  });

  it('learn why an endpoint fails in five steps, and send what is pending in eight', async () => {
    const receiver = await startReceiver();
    receiver.answers = 503;
    const account = await newAccount();
    await newEndpoint(account.accountId, receiver.url);
    await decided(await account.issue(), enquiry());
    const page = await begun('staff:operator', `/suppliers/${account.accountId}?environment=1`);
    await page.getByRole('tab', { name: 'Webhooks', exact: true }).click();
    const endpoint = part(page, 'Sandbox endpoint');
    await endpoint.getByText('HTTP 503', { exact: true }).waitFor();
    expect(await stepsOn(page)).toBeLessThanOrEqual(5);
    receiver.answers = 204;
    await begin(page, 'Sandbox endpoint', 'Send pending events');
    await finish(page, 'Send pending events');
    await endpoint.getByText('No failed or pending events.').waitFor();
    expect(await stepsOn(page)).toBeLessThanOrEqual(8);
    await receiver.close();
  });

  it('change a number of a policy with a second person in twelve steps', async () => {
    const kind = PolicyKind.PRE_UNDERWRITING;
    const policies = rpcClient('submission', PolicyService);
    const { policy, text } = await policies.getPolicy({ kind });
    const before = policy?.version ?? '';
    const page = await begun('staff:admin', '/');
    // As where a second person is required.
    await page.route('**/CheckApproval', (route) =>
      route.fulfill({
        contentType: 'application/proto',
        body: Buffer.from(toBinary(CheckApprovalResponseSchema, ENFORCED)),
      }),
    );
    try {
      await go(page, 'Policies');
      await page.getByRole('link', { name: before, exact: true }).first().click();
      await page.getByRole('tab', { name: 'Edit and test' }).click();
      await page.getByRole('textbox', { name: 'unsatisfied-ccjs' }).fill('0.5');
      await press(page.locator('main'), 'Store version');
      await dialog(page).getByLabel('Change note').fill('the limit of case 24');
      await press(dialog(page), 'Store version');
      await dialog(page).locator('ins', { hasText: 'unsatisfied_ccj_count > 0.5' }).waitFor();
      await dialog(page).getByText('Requires a second person’s approval').waitFor();
      await press(dialog(page), 'Request approval');
      await dialog(page).getByText('Pending until').waitFor();
      const approvalId = await dialog(page).getByLabel('Approval ID').inputValue();

      const second = await begun('staff:admin', '/', 'ada');
      await second.locator(`main a[href*="${approvalId}"]`).click();
      await second.locator('ins', { hasText: 'unsatisfied_ccj_count > 0.5' }).waitFor();
      await second.getByText('the limit of case 24').first().waitFor();
      await press(second.locator('main'), 'Approve');
      await press(dialog(second), 'Approve');
      await second.locator('.page-header').getByText('Approved', { exact: true }).waitFor();

      await dialog(page).getByText('Approved by ada').waitFor();
      await press(dialog(page), 'Activate');
      await page.locator('.page-header').getByText('Active', { exact: true }).waitFor();
      const active = await policies.getPolicy({ kind });
      expect(JSON.parse(active.text).rules).toEqual(
        JSON.parse(text.replace('unsatisfied_ccj_count > 0', 'unsatisfied_ccj_count > 0.5')).rules,
      );
      expect((await stepsOn(page)) + (await stepsOn(second))).toBeLessThanOrEqual(12);
    } finally {
      await policies.activatePolicy({ kind, version: before, purpose: 'the test is over' });
    }
  });

  it('export a person’s data in ten steps', async () => {
    const email = newEmail();
    await decided(await newSupplier(), fullEnquiry({ email }));
    const page = await begun('staff:privacy', '/');
    await findPerson(page, email);
    const chosen = part(page, 'Export');
    await chosen.getByLabel('Purpose').fill('request 21');
    await press(chosen, 'Collect data');
    const download = page.waitForEvent('download');
    await press(chosen, 'Save the file');
    expect((await download).suggestedFilename()).toBe('export.json');
    expect(await stepsOn(page)).toBeLessThanOrEqual(10);
  });

  it('erase a person in ten steps', async () => {
    const email = newEmail();
    await decided(await newSupplier(), fullEnquiry({ email }));
    const page = await begun('staff:privacy', '/');
    await findPerson(page, email);
    await begin(page, 'Hold or erase', 'Erase');
    await dialog(page).getByLabel('Purpose').fill('request 22');
    await inDialog(page, 'Erase').click();
    await part(page, 'Erasure certificate').getByText('Complete', { exact: true }).first().waitFor();
    expect(await stepsOn(page)).toBeLessThanOrEqual(10);
  });

  it('save a supplier’s month as a file in three steps', async () => {
    const api = await newSupplier();
    await decided(api, enquiry());
    const page = await begun('staff:admin', `/suppliers/${api.accountId}?environment=1`);
    await page
      .getByRole('link', { name: /^Report for / })
      .first()
      .click();
    const download = page.waitForEvent('download');
    await press(part(page, 'By day'), 'Download CSV');
    expect((await download).suggestedFilename()).toMatch(/^report-by-day-.*\.csv$/);
    expect(await stepsOn(page)).toBeLessThanOrEqual(3);
  });

  it('see who viewed an applicant’s details in two steps', async () => {
    const { submission_id: submissionId } = await decided(await newSupplier(), fullEnquiry());
    await staff.submission().getApplication({ submissionId, purpose: 'request 23' });
    const page = await begun('staff:admin', `/submissions/${submissionId}`);
    await page.getByRole('link', { name: 'View in audit log' }).click();
    await page.getByRole('button', { name: 'Views of personal data' }).click();
    await page.getByRole('table', { name: 'Audit log' }).getByText('request 23').waitFor();
    expect(await stepsOn(page)).toBeLessThanOrEqual(2);
  });
});
