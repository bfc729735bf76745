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
import { NotYet, waitFor } from '../harness/wait.ts';

const SANDBOX = `environment=${Environment.SANDBOX}`;
const list = (page: Page) => page.getByRole('region', { name: 'Submissions, scrollable' });
/** Where the list is, and the link in its middle. */
const PLACE = `(() => {
  const region = document.querySelector('[aria-label="Submissions, scrollable"]');
  const { left, top, height } = region.getBoundingClientRect();
  const row = document.elementFromPoint(left + 100, top + height / 2)?.closest('tr');
  const link = row?.querySelector('th a');
  const box = link?.getBoundingClientRect();
  return { offset: region.scrollTop, reference: link?.textContent ?? '', x: box?.x + 5, y: box?.y + 5 };
})()`;
interface Place {
  readonly offset: number;
  readonly reference: string;
  readonly x: number;
  readonly y: number;
}
/** Returns the place of a list that no longer moves: rows are measured as they come into sight. */
function placeAtRest(page: Page): Promise<Place> {
  let last: Place | undefined;
  return waitFor('the list is at rest', async () => {
    const now = await page.evaluate<Place>(PLACE);
    const isAtRest = now.reference !== '' && last?.offset === now.offset && last.reference === now.reference;
    last = now;
    if (!isAtRest) throw new NotYet(`it is at ${now.offset}`);
    return now;
  });
}
/** Rows of two lines, of which the first ones are estimated at one line. */
const COUNT = 90;
const IS_LAST_IN_SIGHT = `(() => {
  const { bottom } = document.querySelector('[aria-label="Submissions, scrollable"]').getBoundingClientRect();
  const last = document.querySelector('tr[aria-rowindex="${COUNT + 1}"]')?.getBoundingClientRect();
  return last !== undefined && last.bottom <= bottom + 2;
})()`;
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

  it('is where it was left after Back, and is not loaded again', async () => {
    const account = await newAccount();
    const supplier = await account.issue();
    await Promise.all(Array.from({ length: 40 }, () => created(supplier, enquiry())));
    const path = `/submissions?${SANDBOX}&account=${account.accountId}`;
    const { page } = await openConsole({ name: 'bea', role: 'staff:viewer', path });
    await filled(page);
    await list(page).hover();
    await page.mouse.wheel(0, 600);
    await waitFor('the list has moved', async () => {
      if ((await page.evaluate<Place>(PLACE)).offset < 300) throw new NotYet('it is at its start');
    });
    const { reference, x, y } = await placeAtRest(page);
    const calls: string[] = [];
    page.on('request', (request) => calls.push(request.url().split('/').at(-1) ?? ''));
    // Without Playwright's click, which may scroll.
    await page.mouse.click(x, y);
    await page.getByRole('heading', { level: 1, name: reference }).waitFor();
    await page.goBack();
    await list(page).getByText(reference, { exact: true }).waitFor();
    // Rows are measured again as they come into sight, so the offset itself may differ by a line.
    expect((await placeAtRest(page)).reference).toBe(reference);
    expect(calls).not.toContain('ListSubmissions');
  });

  it('shows its last submission after one press of End', async () => {
    const account = await newAccount();
    const supplier = await account.issue();
    await Promise.all(Array.from({ length: COUNT }, () => created(supplier, enquiry())));
    const path = `/submissions?${SANDBOX}&account=${account.accountId}`;
    const { page } = await openConsole({ name: 'eni', role: 'staff:viewer', path });
    await filled(page);
    await list(page).press('End');
    await waitFor('the last row is in sight', async () => {
      if (!(await page.evaluate<boolean>(IS_LAST_IN_SIGHT))) throw new NotYet('it is not');
    });
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
