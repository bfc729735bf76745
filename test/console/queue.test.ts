import { DecisionMode } from '@supplier/proto/common/v1/principal';
import { Environment, Status } from '@supplier/proto/common/v1/status';
import { Queue } from '@supplier/proto/submission/v1/queues';
import { newAccount, newSupplier } from '../harness/accounts.ts';
import { describeInBrowser, type Page } from '../harness/browser.ts';
import { openConsole } from '../harness/console.ts';
import { filled, press, submissionLink } from '../harness/console-parts.ts';
import { enquiry, newCompanyNumber } from '../harness/enquiries.ts';
import { staff } from '../harness/rpc.ts';
import { created, decided } from '../harness/suppliers.ts';

const SANDBOX = `environment=${Environment.SANDBOX}`;
const list = (page: Page) => page.getByRole('region', { name: 'Submissions, scrollable' });
const referencesIn = (page: Page) => list(page).locator('tbody th a').allTextContents();
const statusOf = async (submissionId: string) =>
  (await staff.submission().getSubmission({ submissionId })).status;

describeInBrowser('the queue in the console', () => {
  it('is decided by keyboard, oldest first, and opens the next submission after each decision', async () => {
    const account = await newAccount({ decisionMode: DecisionMode.STAFF });
    const supplier = await account.issue();
    const first = await created(supplier, enquiry({ funding_amount: 45_000 }));
    const second = await created(supplier, enquiry());
    const third = await created(supplier, enquiry());
    const path = `/submissions?${SANDBOX}&queue=${Queue.STAFF_DECISION}&account=${account.accountId}`;
    const { page, complaints } = await openConsole({ name: 'ola', role: 'staff:operator', path });
    await filled(page);
    const references = [first, second, third].map(({ external_reference }) => external_reference);
    expect(await referencesIn(page)).toEqual(references);
    // The figures of the business need no purpose.
    expect(await list(page).locator('tbody tr:not(.gap)').first().textContent()).toContain('£45,000');

    const preview = (reference: string) => page.getByRole('dialog', { name: `Submission ${reference}` });
    const confirmed = (name: string) => page.getByRole('dialog', { name: `${name} in the sandbox` });
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await preview(first.external_reference).getByText('£45,000').waitFor();
    await preview(first.external_reference).getByRole('button', { name: 'Accept' }).waitFor();
    await page.keyboard.press('Control+a');
    expect(await confirmed('Accept').count()).toBe(0);
    await page.keyboard.press('a');
    // Keys that are typed into the reason open nothing.
    await confirmed('Accept').getByLabel('Reason').pressSequentially('trade record');
    expect(await confirmed('Reject').count()).toBe(0);
    await page.keyboard.press('Enter');

    await preview(second.external_reference).getByRole('button', { name: 'Reject' }).waitFor();
    await page.keyboard.press('r');
    await confirmed('Reject').getByLabel('Reason').fill('no trade record');
    await press(confirmed('Reject'), 'Reject');
    await preview(third.external_reference).getByRole('button', { name: 'Mark as duplicate' }).waitFor();
    await page.keyboard.press('d');
    await confirmed('Mark as duplicate').waitFor();
    const statuses = await Promise.all([first, second, third].map((one) => statusOf(one.submission_id)));
    expect(statuses).toEqual([Status.ACCEPTED, Status.REJECTED, Status.RECEIVED]);
    expect(complaints).toEqual([]);
  });

  it('offers no decision to viewers, by key either', async () => {
    const supplier = await newSupplier({ decisionMode: DecisionMode.STAFF });
    const { submission_id } = await created(supplier, enquiry({ funding_amount: 45_000 }));
    const path = `/submissions/${submission_id}`;
    const { page } = await openConsole({ name: 'vi', role: 'staff:viewer', path });
    await page.getByText('£45,000').waitFor();
    await page.keyboard.press('a');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });
});

describeInBrowser('the list of submissions in the console', () => {
  it('counts new submissions without moving what is read, and shows them when asked', async () => {
    const account = await newAccount({ decisionMode: DecisionMode.STAFF });
    const supplier = await account.issue();
    const first = await created(supplier, enquiry());
    const path = `/submissions?${SANDBOX}&account=${account.accountId}`;
    const { page } = await openConsole({ name: 'nel', role: 'staff:viewer', path });
    await filled(page);
    const second = await created(supplier, enquiry());
    const button = page.getByRole('button', { name: '1 new' });
    await button.waitFor();
    expect(await referencesIn(page)).toEqual([first.external_reference]);
    await button.click();
    await submissionLink(page, second.submission_id).waitFor();
    expect(await referencesIn(page)).toEqual([second.external_reference, first.external_reference]);
    await button.waitFor({ state: 'detached' });
  });

  it('leads back only to people who may open it, and shows others what they may see', async () => {
    const supplier = await newSupplier();
    const { submission_id } = await decided(supplier, enquiry());
    const path = `/submissions/${submission_id}`;
    const { page } = await openConsole({ name: 'bil', role: 'staff:billing', path });
    await filled(page);
    await page.getByRole('heading', { level: 2, name: 'Billing' }).waitFor();
    expect(await page.getByRole('main').getByRole('link', { name: 'Submissions' }).count()).toBe(0);
    const { page: other } = await openConsole({ name: 'vio', role: 'staff:viewer', path });
    await other.getByRole('main').getByRole('link', { name: 'Submissions' }).waitFor();
  });

  it('names the earlier submission of a duplicate by its supplier and reference, with a link', async () => {
    const account = await newAccount();
    const supplier = await account.issue();
    const same = { company_number: newCompanyNumber() };
    const earlier = await decided(supplier, enquiry(same));
    const { submission_id } = await decided(supplier, enquiry(same));
    const { name } = (await staff.account().getAccount({ accountId: account.accountId })) ?? {};
    const path = `/submissions?${SANDBOX}&account=${account.accountId}&status=${Status.DUPLICATE_NOT_ACCEPTED}`;
    const { page } = await openConsole({ name: 'dee', role: 'staff:viewer', path });
    await filled(page);
    await list(page).getByText(`of ${earlier.external_reference} from ${name}`).waitFor();
    await submissionLink(page, submission_id).click();
    await page.getByText(`Same company number as ${earlier.external_reference} from ${name}`).waitFor();
    await submissionLink(page, earlier.submission_id).click();
    await page.getByRole('heading', { level: 1, name: earlier.external_reference }).waitFor();
  });
});
