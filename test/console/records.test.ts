import { create, fromBinary } from '@bufbuild/protobuf';
import {
  FindingKind,
  FindingSchema,
  type ReconcileRequest,
  ReconcileRequestSchema,
} from '@supplier/proto/reconciliation/v1/reconciliation';
import { barriers } from '../harness/accessibility.ts';
import { newAccount } from '../harness/accounts.ts';
import { describeInBrowser, type Page, type Route } from '../harness/browser.ts';
import { answerStream, askedOf, bytesOf } from '../harness/connect-streams.ts';
import { openConsole } from '../harness/console.ts';
import { commandIn, dialog, finish } from '../harness/console-acts.ts';
import { figuresOf } from '../harness/console-parts.ts';
import { deleteRows, EVENT_AND_ATTEMPTS } from '../harness/delete-rows.ts';
import { eventsOf, newEndpoint, startReceiver } from '../harness/endpoints.ts';
import { enquiry } from '../harness/enquiries.ts';
import { staff } from '../harness/rpc.ts';
import { decided } from '../harness/suppliers.ts';

const MINUTE_MS = 60_000;
const REPAIR = 'Repair differences';
const inField = (ms: number) => new Date(Date.now() + ms).toISOString().slice(0, 16);
const rowsAbout = (page: Page, id: string) =>
  page.getByRole('table', { name: 'Differences' }).getByRole('row').filter({ hasText: id });
/** Returns the progress of a service: "7 compared Done". */
const progressOf = async (page: Page, service: string) => {
  const figures = await figuresOf(page.getByRole('group', { name: 'Progress by service' }));
  const [, count, state] = figures.find(([label]) => label?.toLowerCase() === service) ?? [];
  return `${count} ${state}`;
};
/** Waits until every service has compared all its records. */
const compared = (page: Page) =>
  page
    .getByRole('status')
    .getByText(/^\d+ differences?[^.]*\.$/)
    .waitFor();

describeInBrowser('the records screen of the console', () => {
  it('shows an administrator a lost webhook, sends it, and then shows no differences', async () => {
    const receiver = await startReceiver();
    const account = await newAccount();
    const { name } = await staff.account().getAccount({ accountId: account.accountId });
    await newEndpoint(account.accountId, receiver.url);
    const { submission_id: id } = await decided(await account.issue(), enquiry());
    const [lost] = await eventsOf(
      id,
      'delivered',
      (all) => all.length > 0 && all.every((one) => one.settledAt),
    );
    await deleteRows('webhook', EVENT_AND_ATTEMPTS, lost?.eventId ?? '');

    const { page, complaints } = await openConsole({
      ...{ name: 'ada', role: 'staff:admin', path: '/reconciliation' },
    });
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/Reconcile')) asked.push(request.url());
    });
    await page.getByLabel('Changes since (UTC)').fill(inField(-5 * MINUTE_MS));
    await page.getByLabel('Changes before (UTC)').fill(inField(2 * MINUTE_MS));
    expect(asked).toEqual([]);
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await compared(page);
    const found = rowsAbout(page, id);
    // Names of suppliers arrive after the rows.
    await found.getByRole('cell', { name, exact: true }).waitFor();
    await expect(found.getByRole('cell').allTextContents()).resolves.toEqual([
      ...['Webhook', 'Missing', name, ''],
      expect.stringContaining(lost?.eventId ?? ''),
    ]);
    for (const service of ['account', 'submission', 'document', 'billing', 'webhook'])
      expect(await progressOf(page, service)).toMatch(/^[\d,]+ compared Done$/);
    expect(await found.getByRole('link', { name: id }).getAttribute('href')).toContain(`/submissions/${id}?`);
    expect(await barriers(page)).toEqual([]);

    await page.getByRole('button', { name: REPAIR, exact: true }).click();
    expect(await commandIn(page)).toMatch(/^sss reconcile --since \S+Z --until \S+Z --repair --yes$/);
    expect(await dialog(page).textContent()).toContain('in PRODUCTION and the sandbox');
    expect(await dialog(page).textContent()).toMatch(/Found \d+ differences?\./);
    await finish(page, REPAIR);
    await found.getByRole('cell', { name: 'Repaired', exact: true }).waitFor();
    await compared(page);
    await receiver.about(id, 2);

    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await page.getByRole('heading', { name: 'Differences' }).waitFor();
    await compared(page);
    await page
      .getByRole('table', { name: 'Backlogs' })
      .getByRole('row')
      .filter({ hasText: 'Outbox' })
      .first()
      .waitFor();
    expect(await found.count()).toBe(0);
    expect(complaints).toEqual([]);
    await receiver.close();
  });

  it('resumes where a service stopped, for the same period, keeps findings from before a failure, and can be stopped', async () => {
    const { page } = await openConsole({
      name: 'ada',
      role: 'staff:admin',
      path: '/reconciliation',
    });
    const asked: ReconcileRequest[] = [];
    const goingOn: Route[] = [];
    await page.route('**/rpc/document/*/Reconcile', async (route) => {
      const request = fromBinary(ReconcileRequestSchema, askedOf(route));
      asked.push(request);
      if (request.resumeToken !== '') return void goingOn.push(route);
      // A service ends its response like this after half a minute.
      await answerStream(route, LEFT_OFF);
    });
    const compare = async () => {
      await page.getByRole('button', { name: 'Compare', exact: true }).click();
      await page.getByText('In progress: 4 of 5 services are done.').waitFor();
      expect(await progressOf(page, 'document')).toBe('7 compared Running');
    };
    const cutShort = page.getByText(/^[1-9]\d* differences?\. Not everything was compared\.$/);
    await compare();
    await goingOn[0]?.abort();
    await cutShort.waitFor();
    expect(await progressOf(page, 'document')).toMatch(/^7 compared Failed \S+/);
    expect(await rowsAbout(page, 'made/up').count()).toBe(1);
    // Billing has no outbox, and the document service's response is a stub.
    const outboxes = page
      .getByRole('table', { name: 'Backlogs' })
      .getByRole('row')
      .filter({ hasText: 'Outbox' });
    expect(await outboxes.count()).toBeGreaterThanOrEqual(3);
    expect(asked).toEqual([asked[0], { ...asked[0], resumeToken: 'here' }]);

    await compare();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await cutShort.waitFor();
    expect(await progressOf(page, 'document')).toBe('7 compared Stopped');
  });

  it('requests nothing for a role that may not reconcile', async () => {
    const { page } = await openConsole({
      name: 'oli',
      role: 'staff:operator',
      path: '/reconciliation',
    });
    await page.getByText('Your roles don’t include this screen.').waitFor();
    expect(await page.getByRole('button', { name: 'Compare' }).count()).toBe(0);
  });
});

/** The response of a service that has a finding and a resume token. */
const LEFT_OFF = [
  create(FindingSchema, { kind: FindingKind.DIFFERENCE, what: 'orphan', target: 'made/up' }),
  create(FindingSchema, { kind: FindingKind.ENDED, count: 7n, resumeToken: 'here' }),
].map((finding) => bytesOf(FindingSchema, finding));
