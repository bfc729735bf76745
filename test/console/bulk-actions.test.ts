import { readFileSync } from 'node:fs';
import { DecisionMode, PreUnderwritingFailure } from '@supplier/proto/common/v1/principal';
import { Status } from '@supplier/proto/common/v1/status';
import { PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import { barriers } from '../harness/accessibility.ts';
import { newAccount, newSupplier } from '../harness/accounts.ts';
import { describeInBrowser, type Locator, type Page } from '../harness/browser.ts';
import { openConsole } from '../harness/console.ts';
import { dialog, filled, press, submissionLink, toggleFilter } from '../harness/console-parts.ts';
import { enquiry, screening } from '../harness/enquiries.ts';
import { staff } from '../harness/rpc.ts';
import { serializeFiles } from '../harness/serialize-files.ts';
import { created, decided } from '../harness/suppliers.ts';

// One file creates a hundred submissions, which would displace the newest submissions that the other searches.
serializeFiles('newest leads');

const reason = 'trading record seen';
const chosen = (page: Page) => page.getByRole('region', { name: 'Selected submissions' });
const choiceOf = (page: Page, reference: string) =>
  page.getByRole('checkbox', { name: `Select ${reference}, ` });
/** Scrolls to the end of the list, and waits for an element there. */
async function scrollToEnd(page: Page, wanted: Locator): Promise<void> {
  await page.getByRole('region', { name: 'Submissions, scrollable' }).press('End');
  await wanted.waitFor();
}
const all = (page: Page) => page.getByRole('checkbox', { name: 'Select all loaded submissions' });
const answers = (page: Page) => dialog(page).getByRole('table', { name: 'Results' });
const listOf = (accountId: string) => `/submissions?both=yes&account=${accountId}`;
const statusOf = async (submissionId: string) =>
  (await staff.submission().getSubmission({ submissionId })).status;

describeInBrowser('several submissions in the console', () => {
  it('are decided together but independently, and any that a colleague has decided meanwhile stay selected with a message', async () => {
    const account = await newAccount({ decisionMode: DecisionMode.STAFF });
    const [sandbox, production] = await Promise.all([
      account.issue(),
      account.issue({ environment: 'production' }),
    ]);
    const [one, other, live, left] = await Promise.all([
      created(sandbox, enquiry()),
      created(sandbox, enquiry()),
      created(production, enquiry()),
      created(sandbox, enquiry()),
    ]);
    const { page, complaints } = await openConsole({
      name: 'ada',
      role: 'staff:operator',
      path: listOf(account.accountId),
    });
    await filled(page);
    const narrowed = page.waitForResponse('**/ListSubmissions');
    await toggleFilter(page, 'Queue', 'Awaiting decision');
    await narrowed;
    const place = () => choiceOf(page, left.external_reference).boundingBox();
    const before = await place();
    await choiceOf(page, left.external_reference).check({ force: true });
    await chosen(page).getByText('1 submission in the sandbox selected.').waitFor();
    // No row moves under the pointer.
    expect(await place()).toEqual(before);
    // Back to a list that the page still has.
    await page.getByRole('button', { name: 'Clear Queue' }).click();
    await chosen(page).getByText('selected').waitFor({ state: 'detached' });
    await filled(page);
    expect(await choiceOf(page, left.external_reference).isChecked()).toBe(false);
    for (const { external_reference } of [one, other, live])
      await choiceOf(page, external_reference).check({ force: true });
    await chosen(page).getByText('3 submissions, 1 in PRODUCTION and 2 in the sandbox').waitFor();
    expect(await barriers(page)).toEqual([]);

    await press(chosen(page), 'Accept');
    await dialog(page).getByLabel('Reason').fill(reason);
    const asked = await dialog(page).textContent();
    expect(asked).toContain('Accept in PRODUCTION and the sandbox');
    expect(asked).toContain('3 submissions, 1 in PRODUCTION and 2 in the sandbox from one supplier.');
    for (const { submission_id } of [one, other, live]) expect(asked).toContain(submission_id);
    for (const { external_reference } of [one, other, live]) expect(asked).toContain(external_reference);
    expect(asked).not.toContain(left.external_reference);
    expect(asked).toMatch(
      new RegExp(`sss submissions decide( [0-9a-f-]{36}){3} --decision accepted --reason '${reason}' --yes`),
    );
    await staff
      .submission()
      .decideSubmission({ submissionId: other.submission_id, decision: Status.REJECTED, reason: 'faster' });
    await press(dialog(page), 'Accept');
    await dialog(page).getByText('2 of 3 done, 1 not done').waitFor();
    const [first] = await answers(page).getByRole('row').filter({ hasNotText: 'Result' }).allTextContents();
    expect(first).toContain(other.external_reference);
    expect(first).toMatch(/Not done.* decided, by \S+ at .* is rejected/);
    expect(await answers(page).getByText('Now accepted').count()).toBe(2);
    expect(await barriers(page)).toEqual([]);
    await press(dialog(page), 'Done');

    await chosen(page).getByText('1 submission in the sandbox selected.').waitFor();
    expect(await choiceOf(page, other.external_reference).isChecked()).toBe(true);
    // The list reports unsuitable submissions in advance, and distinguishes identical references of two suppliers.
    await choiceOf(page, left.external_reference).check({ force: true });
    await press(chosen(page), 'Accept');
    await dialog(page).getByText('1 of them can’t take this action').waitFor();
    await page.keyboard.press('Escape');
    await press(chosen(page), 'Clear');
    expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(0);
    const ids = [one, live, other, left].map(({ submission_id }) => submission_id);
    expect(await Promise.all(ids.map(statusOf))).toEqual([
      Status.ACCEPTED,
      Status.ACCEPTED,
      Status.REJECTED,
      Status.RECEIVED,
    ]);
    expect(complaints).toEqual([]);
  });

  it('are completed and returned by keyboard only', async () => {
    const api = await newSupplier({ preUnderwritingFailure: PreUnderwritingFailure.QUEUE_FOR_STAFF });
    const failing = () => enquiry({ credit_screening: screening({ unsatisfied_ccjs: 'fail' }) });
    const allSubmitted = await Promise.all([decided(api, failing()), decided(api, failing())]);
    const { page, complaints } = await openConsole({
      name: 'kay',
      role: 'staff:operator',
      path: listOf(api.accountId),
    });
    await filled(page);
    const beginWithAll = async (name: string) => {
      await all(page).focus();
      await page.keyboard.press('Space');
      await chosen(page).getByText('2 submissions').waitFor();
      await reach(page, chosen(page).getByRole('button', { name }), 'Shift+Tab');
      await page.keyboard.press('Enter');
      await dialog(page).waitFor();
    };
    const finish = async (name: string, said: string) => {
      await reach(page, dialog(page).getByRole('button', { name, exact: true }), 'Tab');
      await page.keyboard.press('Enter');
      await dialog(page).getByText('2 of 2 done').waitFor();
      expect(await answers(page).getByText(said).count()).toBe(2);
      await reach(page, dialog(page).getByRole('button', { name: 'Done' }), 'Tab');
      await page.keyboard.press('Enter');
      await dialog(page).waitFor({ state: 'detached' });
      await filled(page);
    };

    await beginWithAll('Complete pre-underwriting');
    await finish('Complete pre-underwriting', 'Now accepted');
    for (const { submission_id: submissionId } of allSubmitted)
      expect(
        await staff.submission().getApplication({ submissionId, purpose: 'read by a test' }),
      ).toMatchObject({ preUnderwriting: { state: PreUnderwritingState.CLEARED } });

    await beginWithAll('Return');
    expect(await barriers(page)).toEqual([]);
    await reach(page, dialog(page).getByLabel('Reason'), 'Tab');
    await page.keyboard.type('overdue');
    await finish('Return', 'Now returned');
    for (const { submission_id } of allSubmitted) expect(await statusOf(submission_id)).toBe(Status.RETURNED);
    expect(complaints).toEqual([]);
  });

  it('are requested in batches of a hundred, and a failed call loses no responses', async () => {
    const api = await newSupplier({ decisionMode: DecisionMode.STAFF });
    await Promise.all(Array.from({ length: 101 }, () => created(api, enquiry())));
    const { page, complaints } = await openConsole({
      name: 'bea',
      role: 'staff:operator',
      path: listOf(api.accountId),
    });
    await filled(page);
    await all(page).check({ force: true });
    await chosen(page).getByText('100 submissions').waitFor();
    const table = page.getByRole('table', { name: 'Submissions', exact: true });
    await scrollToEnd(page, table.and(page.locator('[aria-rowcount="102"]')));
    expect(await chosen(page).textContent()).toContain('100 submissions');
    await all(page).check({ force: true });
    await chosen(page).getByText('101 submissions').waitFor();

    await press(chosen(page), 'Reject');
    await dialog(page).getByLabel('Reason').fill(reason);
    await dialog(page).getByText('sss submissions decide --file ids.csv').waitFor();
    const download = page.waitForEvent('download');
    await press(dialog(page), 'Save ids.csv for the terminal');
    const lines = readFileSync(await (await download).path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    expect([lines[0], new Set(lines).size]).toEqual(['\ufeffsubmission_id', 102]);
    const asked: number[] = [];
    await page.route('**/DecideSubmissions', async (route) => {
      asked.push(route.request().postDataBuffer()?.length ?? 0);
      await (asked.length === 1 ? route.continue() : route.abort());
    });
    await press(dialog(page), 'Reject');
    await dialog(page).getByText('100 of 101 done').waitFor();
    expect(await dialog(page).getByRole('alert').textContent()).toMatch(
      /^The outcome of 1 of 101 is unknown: .+ They stay selected/,
    );
    expect(asked).toHaveLength(2);
    await press(dialog(page), 'Done');
    await chosen(page).getByText('1 submission').waitFor();
    const { submissions } = await staff
      .submission()
      .listSubmissions({ accountId: api.accountId, statuses: [Status.RECEIVED] });
    expect(submissions).toHaveLength(1);
    const last = choiceOf(page, submissions[0]?.externalReference ?? '');
    await scrollToEnd(page, last);
    expect(await last.isChecked()).toBe(true);
    expect(complaints).toEqual([]);
  });

  it('cannot be selected by viewers', async () => {
    const api = await newSupplier({ decisionMode: DecisionMode.STAFF });
    const { submission_id } = await created(api, enquiry());
    const { page } = await openConsole({
      name: 'vic',
      role: 'staff:viewer',
      path: listOf(api.accountId),
    });
    await submissionLink(page, submission_id).waitFor();
    expect(await page.getByRole('checkbox').count()).toBe(0);
  });
});

/** Presses a key until the wanted element has the focus. */
async function reach(page: Page, wanted: ReturnType<Page['locator']>, key: string): Promise<void> {
  for (let steps = 0; steps < 30; steps += 1) {
    if (await wanted.evaluate((place) => place.matches(':focus'))) return;
    await page.keyboard.press(key);
  }
  throw new Error(`not reached by ${key}`);
}
