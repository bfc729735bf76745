import { setTimeout as pass } from 'node:timers/promises';
import { DecisionMode } from '@supplier/proto/common/v1/principal';
import { newSupplier } from '../harness/accounts.ts';
import { describeInBrowser } from '../harness/browser.ts';
import { openConsole } from '../harness/console.ts';
import { enquiry } from '../harness/enquiries.ts';
import { everythingReady, whileDown, whileHalted } from '../harness/processes.ts';
import { submissionOf } from '../harness/responses.ts';
import { created } from '../harness/suppliers.ts';

const SLOW_MS = 3_000;
const BACK_MS = 60_000;
const reason = 'trading record seen';

beforeEach(everythingReady);

describeInBrowser('the staff console with an unavailable or slow service', () => {
  it('shows the remaining data while a service is away, names what is missing, and loads it once the service is back', async () => {
    const staffed = await newSupplier({ decisionMode: DecisionMode.STAFF });
    const { submission_id } = await created(staffed, enquiry());
    await whileDown('webhook', async (webhook) => {
      const { page } = await openConsole({
        name: 'ada',
        role: 'staff:operator',
        path: `/submissions/${submission_id}`,
      });
      await page.getByText('Could not load this: The webhook service does not answer.').waitFor();
      await page.getByText('Received, awaiting decision by staff').waitFor();
      await page.getByRole('button', { name: 'Accept', exact: true }).waitFor();
      await webhook.bringBack();
      await page
        .getByText('The webhook service does not answer.')
        .waitFor({ state: 'detached', timeout: BACK_MS });
      await page.getByText('No webhook events are sent before the decision.').waitFor();
    });
  });

  it('waits for a slow service without blocking anything else, and performs the action once', async () => {
    const staffed = await newSupplier({ decisionMode: DecisionMode.STAFF });
    const { submission_id } = await created(staffed, enquiry());
    const { page } = await openConsole({
      name: 'bob',
      role: 'staff:operator',
      path: `/submissions/${submission_id}`,
    });
    await page.getByRole('button', { name: 'Accept', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill(reason);
    const accept = dialog.getByRole('button', { name: 'Accept', exact: true });
    const beside = await page.context().newPage();
    await whileHalted('submission', async () => {
      await accept.click();
      await beside.goto(new URL('/', page.url()).href);
      await beside
        .getByText(/^No events in this period$|^[\d,]+ failed, [\d,]+ pending/)
        .first()
        .waitFor();
      await beside.getByLabel('Loading').first().waitFor();
      expect(await accept.isDisabled()).toBe(true);
      await pass(SLOW_MS);
    });
    await dialog.waitFor({ state: 'detached' });
    await page.getByText(`Accepted by staff: ${reason}`).waitFor();
    expect(submissionOf(await staffed.read(submission_id), 200)).toMatchObject({ status: 'accepted' });
    await beside.getByRole('heading', { name: 'Awaiting decision' }).first().waitFor();
  });

  it('compares the records of the other services while one is away, and all of them once it is back', async () => {
    const { page } = await openConsole({
      name: 'ada',
      role: 'staff:admin',
      path: '/reconciliation',
    });
    const compare = page.getByRole('button', { name: 'Compare', exact: true });
    const outboxes = page
      .getByRole('table', { name: 'Backlogs' })
      .getByRole('row')
      .filter({ hasText: 'outbox' });
    const services = async () =>
      Promise.all((await outboxes.all()).map((row) => row.getByRole('cell').first().textContent()));
    await whileDown('document', async (document) => {
      await compare.click();
      await page.getByText(/^\d+ differences?\. Not everything was compared\.$/).waitFor();
      await expect(page.getByRole('alert').allTextContents()).resolves.toEqual([
        expect.stringContaining('The document service does not answer.'),
      ]);
      expect(new Set(await services())).toEqual(new Set(['Account', 'Submission', 'Webhook']));
      await document.bringBack();
    });
    await everythingReady();
    await compare.click();
    await page.getByText(/^\d+ differences?\.$/).waitFor();
    expect(await services()).toContain('Document');
  });
});
