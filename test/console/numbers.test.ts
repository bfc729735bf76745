import { create, type DescMethod, fromBinary, type MessageInitShape } from '@bufbuild/protobuf';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { BillingModel, Environment } from '@supplier/proto/common/v1/status';
import { Queue } from '@supplier/proto/submission/v1/queues';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { newAccount } from '../harness/accounts.ts';
import { describeInBrowser, type Page } from '../harness/browser.ts';
import { bytesOf } from '../harness/connect-streams.ts';
import { consoleUrl, openConsole } from '../harness/console.ts';
import { figuresOf } from '../harness/console-parts.ts';

const { getBillableValue, getStatement } = BillingService.method;
const { getIntake, getQueues, listPendingBilling } = SubmissionService.method;
const { getDeliveryFigures } = WebhookService.method;

/** Answers every call of a method as the service could, and returns the requests. No two numbers are equal. */
async function answer<Method extends DescMethod>(
  page: Page,
  method: Method,
  message: MessageInitShape<Method['output']>,
) {
  const asked: ReturnType<typeof fromBinary<Method['input']>>[] = [];
  await page.route(`**/${method.name}`, (route) => {
    asked.push(
      fromBinary<Method['input']>(method.input, route.request().postDataBuffer() ?? Buffer.alloc(0)),
    );
    return route.fulfill({
      contentType: 'application/proto',
      body: bytesOf(method.output, create(method.output, message)),
    });
  });
  return asked;
}

const DELIVERIES = {
  days: [
    { day: 'yesterday', recorded: 1_000n, delivered: 1_000n },
    {
      ...{ day: 'today', recorded: 1_361n, delivered: 800n, deliveredAtFirst: 700n, exhausted: 120n },
      ...{ expired: 80n, superseded: 51n, dropped: 60n, pending: 250n, firstAttemptP95Ms: 350n },
    },
  ],
  firstAttemptP95Ms: 420n,
};
const DELIVERED = '200 failed, 250 pending, first attempt p95 420 ms';
const INTAKE_DAY = { undecided: 1n, accepted: 20n, duplicates: 3n, rejected: 4n, returned: 5n };
const LAST_WEEK = { undecided: 2n, accepted: 10n, duplicates: 1n, rejected: 0n, returned: 9n };
const VALUE = {
  billableSubmissions: 7n,
  credits: 2n,
  chargedPence: 12_345n,
  creditedPence: 2_222n,
  unpriced: 3n,
};

/** The figures of every screen, compared with what the services returned. */
describeInBrowser("each of the console's figures", () => {
  let page: Page;
  let accountId: string;
  const open = async (path: string) => {
    await page.goto(`${await consoleUrl()}${path}`);
    await page.locator('.number').first().waitFor();
    await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' });
  };
  /** Returns the cells of a table's first row. */
  const cells = (table: string) =>
    page.getByRole('table', { name: table }).locator('tbody tr').first().locator('th, td').allTextContents();
  /** Returns a figure's value and detail. */
  const figure = async (label: string) => (await figuresOf(page)).find(([name]) => name === label)?.slice(1);

  beforeAll(async () => {
    ({ accountId } = await newAccount());
    ({ page } = await openConsole({ name: 'nia', role: 'staff:admin' }));
    // Streams would replace the responses, so they never begin.
    await page.route('**/Watch*', () => {});
    await answer(page, getDeliveryFigures, DELIVERIES);
    await answer(page, getIntake, {
      days: Array.from({ length: 30 }, (_, before) => ({
        day: `day ${before}`,
        ...(before === 29 ? INTAKE_DAY : before === 22 ? LAST_WEEK : {}),
      })),
      accounts: [{ accountId, ...INTAKE_DAY }],
      decisionP50Ms: 12n,
      decisionP95Ms: 340n,
    });
  });
  it('on the overview is what its service returned', async () => {
    await answer(page, getQueues, {
      queues: [
        { queue: Queue.STAFF_DECISION, count: 17n, oldestAgeSeconds: 7_300n },
        { queue: Queue.STAFF_PRE_UNDERWRITING, count: 10_000n, atLeast: true, oldestAgeSeconds: 200n },
      ],
    });
    // It is tomorrow already in the browser's time zone.
    await page.clock.setSystemTime(new Date().setUTCHours(20));
    await open(`/?environment=${Environment.SANDBOX}`);
    expect(await figure('Awaiting decision')).toEqual(['17', 'Oldest 2 h']);
    expect(await figure('Pre-underwriting review')).toEqual(['10000+', 'Oldest 3 min']);
    const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'long', timeZone: 'UTC' }).format(Date.now());
    expect(await figure('Received today')).toEqual(['33', `+50% vs all of last ${weekday}`]);
    // 1,800 of 1,800 + 120 + 80 + 250. Superseded and dropped events aren't sent.
    expect(await figure('Webhook delivery, today')).toEqual(['80%', DELIVERED]);
  });

  it('of a supplier is what its service returned', async () => {
    await open(`/suppliers/${accountId}?environment=${Environment.SANDBOX}`);
    expect(await figure('Received, last 30 days')).toEqual(['33', '1 undecided']);
    // 20 of 32.
    expect(await figure('Accepted')).toEqual(['62.5%', '20 accepted, 5 returned']);
    expect(await figure('Decision time, p50')).toEqual(['12 ms', 'p95 340 ms']);
    expect(await figure('Webhooks delivered')).toEqual(['80%', DELIVERED]);
  });

  it('of the reports means the same as that of a supplier', async () => {
    await open(`/reports?environment=${Environment.SANDBOX}`);
    expect(await figure('Received')).toEqual(['55', '57.7% accepted, 3 undecided']);
    // Received, accepted, 20 of 32, and duplicates. Returned ones are in a column of their own.
    expect((await cells('By supplier')).slice(1, 5)).toEqual(['33', '20', '62.5%', '3']);
    expect(await figure('Webhooks delivered')).toEqual(['80%', DELIVERED]);
  });

  it('of billing is that of the selected supplier and month', async () => {
    const asked = await answer(page, getBillableValue, { periods: [{ period: '2026-02', ...VALUE }] });
    const pending = await answer(page, listPendingBilling, { count: 6 });
    await open(`/billing?account=${accountId}&month=2026-02`);
    expect(await figure('Net')).toEqual(['£101.23', '3 lines without a price']);
    expect(await figure('Charged')).toEqual(['£123.45', '7 charges']);
    expect(await figure('Credited')).toEqual(['£22.22', '2 credits']);
    const stated = { fromDay: '2026-02-01', untilDay: '2026-02-28', byMonth: true, accountId };
    expect(asked.length).toBeGreaterThan(0);
    for (const request of asked) expect(request).toMatchObject(stated);
    expect((await figure('Billing pending'))?.[0]).toBe('6');
    expect(pending.length).toBeGreaterThan(0);
    for (const request of pending) expect(request).toMatchObject({ accountId });
    await open('/billing?month=2026-02');
    expect(asked.at(-1)).toMatchObject({ fromDay: '2026-02-01', untilDay: '2026-02-28' });
    expect(asked.at(-1)?.accountId).toBeUndefined();
  });

  it('of a statement is what its service returned', async () => {
    const asked = await answer(page, getStatement, {
      ...{ accountId, month: '2026-02', currency: 'GBP' },
      totals: {
        ...{ charges: 7n, chargedPence: 12_345n, credits: 2n, creditedPence: 2_222n },
        ...{ netPence: 10_123n, unpriced: 3n },
      },
      byModel: [
        {
          billingModel: BillingModel.ACCEPTED_SUBMISSION,
          totals: {
            charges: 7n,
            chargedPence: 12_345n,
            credits: 2n,
            creditedPence: 2_222n,
            netPence: 10_123n,
          },
        },
      ],
    });
    await open(`/suppliers/${accountId}/statements/2026-02`);
    expect(await figure('Net')).toEqual(['£101.23', '3 lines without a price']);
    expect(await figure('Charged')).toEqual(['£123.45', '7 charges']);
    expect(await figure('Credited')).toEqual(['£22.22', '2 credits']);
    expect(asked.at(-1)).toMatchObject({ accountId, month: '2026-02' });
    expect((await cells('By billing model')).join(' ')).toMatch(/£123\.45.*£22\.22.*£101\.23$/);
  });

  it('that could not be loaded is an error, never a number or “none”', async () => {
    for (const { name } of [getIntake, getDeliveryFigures, getBillableValue, getQueues])
      await page.route(`**/${name}`, (route) => route.abort());
    for (const path of ['/', '/reports']) {
      await page.goto(`${await consoleUrl()}${path}?environment=${Environment.SANDBOX}`);
      await page.getByRole('alert').nth(3).waitFor();
      await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' });
      const figures = await figuresOf(page);
      expect(figures).toHaveLength(4);
      for (const [, ...texts] of figures) expect(texts.slice(0, 2)).toEqual(['', '']);
      const none = page.getByText(/£0\.00|in this period|Nothing needs attention|View all 0/);
      expect(await none.filter({ visible: true }).allTextContents()).toEqual([]);
    }
  });
});
