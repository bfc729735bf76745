import { randomUUID } from 'node:crypto';
import { barriers } from '../harness/accessibility.ts';
import { newAccount, newSupplier } from '../harness/accounts.ts';
import { staffActs } from '../harness/audit.ts';
import { describeInBrowser, type Page } from '../harness/browser.ts';
import { openConsole } from '../harness/console.ts';
import { dialog, part, press, setHidden } from '../harness/console-parts.ts';
import { formsOf } from '../harness/encoded-forms.ts';
import { eventsOf, newEndpoint, startReceiver } from '../harness/endpoints.ts';
import { enquiry } from '../harness/enquiries.ts';
import { traces } from '../harness/page-traces.ts';
import { decided } from '../harness/suppliers.ts';

const SHOWN_MS = 120_000;

/** Puts the page's clock under the test's control. */
async function withClock(page: Page): Promise<void> {
  await page.clock.install();
  await page.reload();
}

describeInBrowser('what is personal in the console', () => {
  it('is cleared from the search fields after a refused search, or once the tab is hidden or the page left', async () => {
    const mark = randomUUID();
    const forms = formsOf([mark]);
    const { page } = await openConsole({
      name: 'pat',
      role: 'staff:privacy',
      path: '/data-requests',
    });
    await withClock(page);
    const left = traces(page);
    const find = part(page, 'Find');
    const email = find.getByLabel('Email');
    await email.fill(`${mark}@example.com`);
    await find.getByLabel('Telephone').fill('no number');
    await find.getByLabel('Purpose').fill('request 47');
    await press(find, 'Find applicant');
    await find.getByRole('alert').waitFor();
    // The user may correct the input.
    await page.clock.fastForward(SHOWN_MS - 1_000);
    expect(await email.inputValue()).toContain(mark);
    await page.clock.fastForward(2_000);
    await find.getByRole('alert').waitFor({ state: 'detached' });
    expect(await left.holding(forms)).toEqual([]);

    await email.fill(`${mark}@example.com`);
    await setHidden(page, true);
    await setHidden(page, false);
    expect(await left.holding(forms)).toEqual([]);

    await email.fill(`${mark}@example.com`);
    await page.getByRole('link', { name: 'Approvals' }).click();
    await page.getByRole('heading', { level: 1, name: 'Approvals' }).waitFor();
    await page.goBack();
    expect(await email.inputValue()).toBe('');
    expect(await left.holding(forms)).toEqual([]);
  });

  it('in a decision is shown for a purpose, and to viewers only as kinds of facts', async () => {
    const supplier = await newSupplier({ thresholds: { minimumAnnualTurnoverGbp: 50_000 } });
    const { submission_id } = await decided(supplier, enquiry({ annual_turnover_gbp: 48_611 }));
    const path = `/submissions/${submission_id}`;
    const forms = formsOf(['48,611', '48611']);
    const { page: seen } = await openConsole({ name: 'vic', role: 'staff:viewer', path });
    const viewed = traces(seen);
    await part(seen, 'Timeline').getByText('turnover-too-small').waitFor();
    await part(seen, 'Timeline').getByText('Compares turnover.').waitFor();
    expect(await seen.getByRole('button', { name: /Show values/ }).count()).toBe(0);
    expect(await viewed.holding(forms)).toEqual([]);
    await seen.context().close();

    const { page, complaints } = await openConsole({ name: 'olu', role: 'staff:operator', path });
    const timeline = part(page, 'Timeline');
    await press(timeline, 'Show values…');
    await timeline.getByLabel('Purpose').fill('the supplier asked why, case 52');
    await press(timeline, 'Show values');
    const values = timeline.getByRole('region', { name: 'Compared values' });
    await values
      .getByText("Annual turnover of at most 48,611 is below the account's minimum 50,000")
      .waitFor();
    expect(await barriers(page)).toEqual([]);
    expect(await staffActs('submission', submission_id, 'the supplier asked why, case 52')).toEqual([
      'olu GetDecisionFacts',
    ]);
    await press(values, 'Hide');
    await values.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  it('is cleared from a receiver’s response after two minutes, and when the tab is hidden', async () => {
    const receiver = await startReceiver();
    receiver.answers = 500;
    try {
      const account = await newAccount();
      await newEndpoint(account.accountId, receiver.url);
      const { submission_id } = await decided(await account.issue(), enquiry());
      await eventsOf(submission_id, 'refused', (events) =>
        events.some(({ attempts }) => attempts.some(({ statusCode }) => statusCode === 500)),
      );
      const path = `/submissions/${submission_id}`;
      const { page } = await openConsole({ name: 'oli', role: 'staff:operator', path });
      await withClock(page);
      const answer = dialog(page).getByRole('region', { name: 'Responses' }).getByText(receiver.refusal);
      const read = async () => {
        await page.getByRole('button', { name: 'Read responses' }).first().click();
        await dialog(page).getByLabel('Purpose').fill('what the receiver answered');
        await press(dialog(page), 'Read responses');
        await answer.first().waitFor();
      };
      await read();
      await page.clock.fastForward(SHOWN_MS - 1_000);
      expect(await answer.count()).toBeGreaterThan(0);
      await page.clock.fastForward(2_000);
      await answer.first().waitFor({ state: 'detached' });
      await press(dialog(page), 'Done');
      await read();
      await setHidden(page, true);
      await answer.first().waitFor({ state: 'detached' });
      await page.context().close();
    } finally {
      await receiver.close();
    }
  });
});
