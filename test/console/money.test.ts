import { readFile } from 'node:fs/promises';
import { create, fromBinary } from '@bufbuild/protobuf';
import {
  EntryKind,
  StatementSchema,
  StreamStatementRequestSchema,
  StreamStatementResponseSchema,
} from '@supplier/proto/billing/v1/billing';
import { BillingModel, ReturnReasonCategory } from '@supplier/proto/common/v1/status';
import { CloseReason } from '@supplier/proto/submission/v1/pending_billing';
import { barriers } from '../harness/accessibility.ts';
import { newAccount } from '../harness/accounts.ts';
import { accountThatPromotes, ledgerOf, pendingForEver } from '../harness/billing.ts';
import { describeInBrowser, type Page } from '../harness/browser.ts';
import { answerStream, askedOf, bytesOf } from '../harness/connect-streams.ts';
import { openConsole } from '../harness/console.ts';
import { dialog, enterFilter, figuresOf, refusedCalls, submissionLink } from '../harness/console-parts.ts';
import { enquiry } from '../harness/enquiries.ts';
import { staff } from '../harness/rpc.ts';
import { staffShell } from '../harness/staff-cli.ts';
import { created, isBilled, settled } from '../harness/suppliers.ts';

const thisMonth = () => new Date().toISOString().slice(0, 7);
const lastMonth = () => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1)).toISOString().slice(0, 7);
};
const button = (place: Pick<Page, 'getByRole'>, name: string) =>
  place.getByRole('button', { name, exact: true });
const statementPath = (accountId: string, month: string) => `/suppliers/${accountId}/statements/${month}`;

async function downloaded(page: Page): Promise<string> {
  const [file] = await Promise.all([page.waitForEvent('download'), button(page, 'Download CSV').click()]);
  const text = await readFile(await file.path(), 'utf8');
  // With a byte order mark, spreadsheets read it as UTF-8.
  expect(text.slice(0, 1)).toBe('\ufeff');
  return text.slice(1);
}

describeInBrowser('money in the console', () => {
  it('lets billing set a price, read and export the month, and close the previous one', async () => {
    const account = await newAccount();
    const { accountId } = account;
    const { page, complaints } = await openConsole({
      name: 'bill',
      role: 'staff:billing',
      path: '/billing',
    });
    const refused = refusedCalls(page);
    await enterFilter(page, 'Account ID', accountId);
    await page.locator(`a[href^="${statementPath(accountId, thisMonth())}?"]`).click();
    await page.getByText('No charges or credits in this month.').waitFor();

    await button(page, 'Set price').click();
    await dialog(page).getByLabel('Billing model').selectOption('Accepted submission');
    await dialog(page).getByLabel('Price per submission, in pounds').fill('45.505');
    await dialog(page).getByText('Enter an amount up to 10,000').waitFor();
    expect(await button(dialog(page), 'Set price').isDisabled()).toBe(true);
    await dialog(page).getByLabel('Price per submission, in pounds').fill('45.5');
    expect(await dialog(page).textContent()).toContain(
      `sss prices set ${accountId} --billing-model accepted_submission --pence 4550`,
    );
    await button(dialog(page), 'Set price').click();
    await dialog(page).getByText('Applied to 0 lines.').waitFor();
    await button(dialog(page), 'Done').click();
    await page.getByRole('table', { name: 'Prices' }).getByText('£45.50').waitFor();

    const api = await account.issue({ environment: 'production' });
    const [kept, back] = [await created(api, enquiry()), await created(api, enquiry())];
    for (const { submission_id } of [kept, back]) await settled(api, submission_id, 'billed', isBilled);
    const reasonCategory = ReturnReasonCategory.OVERDUE_FILINGS;
    await staff.submission().returnSubmission({ submissionId: back.submission_id, reasonCategory });
    await ledgerOf(back.submission_id, ({ entries }) => entries.length === 2);

    await page.reload();
    const lines = page.getByRole('table', { name: 'Lines' });
    await lines.getByText('−£45.50').waitFor();
    expect(await lines.locator('tbody').getByRole('link').allTextContents()).toHaveLength(3);
    expect(await figuresOf(page)).toEqual([
      ['Net', '£45.50', 'Every line has a price'],
      ['Charged', '£91.00', '2 charges'],
      ['Credited', '£45.50', '1 credit'],
    ]);
    const file = await downloaded(page);
    const shell = staffShell();
    try {
      const printed = await shell.run('statements', 'lines', accountId, thisMonth(), '--csv');
      expect(file).toBe(printed.stdout);
    } finally {
      shell.close();
    }
    const asked = staff.billing().streamStatement({ accountId, month: thisMonth() });
    const ids: string[] = [];
    for await (const message of asked) ids.push(...message.lines.map(({ entryId }) => entryId));
    expect(file.split('\r\n').map((record) => record.split(',').at(0))).toEqual(['entry_id', ...ids, '']);
    expect(await button(page, 'Close month').count()).toBe(0);

    await page.getByRole('link', { name: /^← / }).click();
    await button(page, 'Close month').click();
    await button(dialog(page), 'Close month').click();
    await page.getByText('It can no longer change.').waitFor();
    const { closedAt } = await staff.billing().getStatement({ accountId, month: lastMonth() });
    expect(closedAt).toBeDefined();

    expect(refused).toEqual([]);
    await button(page, 'Set price').click();
    await dialog(page).getByLabel('Billing model').selectOption('Accepted submission');
    await dialog(page).getByLabel('Price per submission, in pounds').fill('1');
    await dialog(page).getByLabel('From (UTC)').fill(`${lastMonth()}-02`);
    await button(dialog(page), 'Set price').click();
    expect(await dialog(page).getByRole('alert').textContent()).toMatch(/closed/);
    // What was typed is kept.
    expect(await dialog(page).getByLabel('Price per submission, in pounds').inputValue()).toBe('1');
    expect(complaints).toEqual([]);
  });

  it('does not close a month at an amount other than the one that was shown', async () => {
    const { accountId } = await newAccount();
    const path = statementPath(accountId, lastMonth());
    const { page } = await openConsole({ name: 'bill', role: 'staff:billing', path });
    await button(page, 'Close month').click();
    await dialog(page).getByText('with 0 lines at £0.00').waitFor();
    // A price is added while the user reads the statement.
    await page.route('**/GetStatement', async (route) => {
      const answer = await route.fetch();
      const now = fromBinary(StatementSchema, await answer.body());
      if (now.totals) now.totals.netPence = 4_550n;
      await route.fulfill({ response: answer, body: bytesOf(StatementSchema, now) });
    });
    await button(dialog(page), 'Close month').click();
    expect(await dialog(page).getByRole('alert').textContent()).toBe(
      'The statement now comes to £45.50. Review it, then close it.',
    );
    const { closedAt } = await staff.billing().getStatement({ accountId, month: lastMonth() });
    expect(closedAt).toBeUndefined();
  });

  it('writes a complete file that executes no formula, for any number and order of lines', async () => {
    const { accountId } = await newAccount();
    const path = statementPath(accountId, thisMonth());
    const { page } = await openConsole({ name: 'bill', role: 'staff:billing', path });
    await page.getByText('No charges or credits in this month.').waitFor();
    // An empty list takes up no space.
    const empty = await page.getByRole('table', { name: 'Lines' }).boundingBox();
    expect(empty?.height).toBeLessThan(100);
    const after: string[] = [];
    await page.route('**/StreamStatement', async (route) => {
      after.push(fromBinary(StreamStatementRequestSchema, askedOf(route)).afterEntryId);
      const line = { kind: EntryKind.CREDIT, billingModel: BillingModel.ACCEPTED_SUBMISSION };
      const lines =
        after.length === 1
          ? [
              {
                ...line,
                entryId: 'one',
                submissionId: '=HYPERLINK("https://x.example","a")',
                externalReference: '=1+1,"b"',
              },
            ]
          : [
              {
                ...line,
                entryId: '+two',
                submissionId: 'a;=1+1',
                externalReference: 'lead-2',
                pence: 5,
                netPence: -5,
              },
            ];
      const message = create(StreamStatementResponseSchema, { lines });
      await answerStream(route, [bytesOf(StreamStatementResponseSchema, message)], after.length > 1);
    });
    expect(await downloaded(page)).toBe(
      [
        'entry_id,submission_id,external_reference,kind,billing_model,occurred_at,pence,net_pence',
        `one,"'=HYPERLINK(""https://x.example"",""a"")","'=1+1,""b""",credit,accepted_submission,,,`,
        `'+two,"a;'=1+1",lead-2,credit,accepted_submission,,5,-5`,
        '',
      ].join('\r\n'),
    );
    expect(after).toEqual(['', 'one']);

    // More lines than fit on a screen: the total is shown, and only visible rows are rendered.
    await page.unroute('**/StreamStatement');
    await page.route('**/StreamStatement', async (route) => {
      const lines = Array.from({ length: 10_001 }, (_, at) => ({ entryId: `${at}`, submissionId: `${at}` }));
      const message = create(StreamStatementResponseSchema, { lines });
      await answerStream(route, [bytesOf(StreamStatementResponseSchema, message)]);
    });
    await page.reload();
    await page.getByText('Only the first 10,000 lines are shown.').waitFor();
    const table = page.getByRole('table', { name: 'Lines' });
    expect(await table.getAttribute('aria-rowcount')).toBe('10001');
    expect(await table.getByRole('row').count()).toBeLessThan(200);
    expect((await downloaded(page)).split('\r\n')).toHaveLength(10_003);
  });

  it('lets billing close a lead that never gets an Application, and reports that to the second of two users', async () => {
    const account = await accountThatPromotes();
    const [first, second] = [await pendingForEver(account), await pendingForEver(account)];
    const { page, complaints } = await openConsole({
      name: 'bill',
      role: 'staff:billing',
      path: '/billing',
    });
    const refused = refusedCalls(page);
    await enterFilter(page, 'Account ID', account.accountId);
    const rowOf = (submissionId: string) => page.getByRole('row', { name: submissionId });
    await rowOf(second.submission_id).waitFor();
    expect((await figuresOf(page)).at(-1)).toEqual([
      'Billing pending',
      '2',
      expect.stringMatching(/^Oldest /),
    ]);
    await button(rowOf(first.submission_id), 'Close billing').click();
    expect(await button(dialog(page), 'Close billing').isDisabled()).toBe(true);
    await dialog(page).getByLabel('Reason').selectOption('Given up by supplier');
    expect(await dialog(page).textContent()).toContain(
      `sss billing close ${first.submission_id} --close-reason given_up_by_supplier --yes`,
    );
    await button(dialog(page), 'Close billing').click();
    await rowOf(first.submission_id).waitFor({ state: 'detached' });
    const ended = await ledgerOf(first.submission_id);
    expect(ended.billing).toMatchObject({ billingStatus: 3 });
    expect(refused).toEqual([]);

    await button(rowOf(second.submission_id), 'Close billing').click();
    await staff
      .submission()
      .closePendingBilling({ submissionId: second.submission_id, closeReason: CloseReason.OTHER });
    await dialog(page).getByLabel('Reason').selectOption('Other');
    await button(dialog(page), 'Close billing').click();
    expect(await dialog(page).getByRole('alert').textContent()).toMatch(/pending|ended|billable/);
    expect(complaints).toEqual([]);
  });

  it('shows a viewer everything, without actions', async () => {
    const account = await accountThatPromotes();
    const { submission_id } = await pendingForEver(account);
    const { page, complaints } = await openConsole({
      name: 'vic',
      role: 'staff:viewer',
      path: '/billing',
    });
    const refused = refusedCalls(page);
    const { name } = await staff.account().getAccount({ accountId: account.accountId });
    await button(page, 'Supplier ▾').click();
    await page.getByRole('dialog', { name: 'Supplier' }).getByLabel(name, { exact: true }).check();
    await page.keyboard.press('Escape');
    await submissionLink(page, submission_id).waitFor();
    expect(await barriers(page)).toEqual([]);
    expect(await button(page, 'Close billing').count()).toBe(0);
    expect(new URL(page.url()).searchParams.get('account')).toBe(account.accountId);
    await page.locator(`a[href^="${statementPath(account.accountId, thisMonth())}?"]`).click();
    await page.getByText('Lines can still be added.').waitFor();
    await page.getByText('No price set').waitFor();
    expect(await barriers(page)).toEqual([]);
    for (const act of ['Set price', 'Close month']) expect(await button(page, act).count()).toBe(0);
    expect([...refused, ...complaints]).toEqual([]);
  });
});
