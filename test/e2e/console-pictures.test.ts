import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DecisionMode } from '@supplier/proto/common/v1/principal';
import { newSupplier } from '../harness/accounts.ts';
import { type Browser, describeInBrowser, openBrowser, type Page } from '../harness/browser.ts';
import { openConsole } from '../harness/console.ts';
import { enquiry } from '../harness/enquiries.ts';
import { created, isBilled, settled, supplier } from '../harness/suppliers.ts';
import { delivered } from '../harness/webhooks.ts';

const checkout = resolve(import.meta.dirname, '../..');
/** The pictures in the docs are taken by setting this folder, on an otherwise unused stack. */
const folder = resolve(checkout, process.env.SSS_PICTURES ?? '.run/pictures');
const PAGE = join(checkout, 'docs', 'console.md');
const LEAST_BYTES = 10_000;

/** What must be visible before each picture is taken, by its name. */
const pictures: Readonly<
  Record<string, (places: Places) => [path: string, seen: (page: Page) => Promise<void>]>
> = {
  overview: () => [
    '/?environment=1',
    (page) => page.getByRole('heading', { name: 'Awaiting decision' }).first().waitFor(),
  ],
  submission: ({ accepted }) => [
    `/submissions/${accepted}`,
    (page) => page.getByRole('heading', { name: 'Documents' }).waitFor(),
  ],
  decision: ({ waiting }) => [
    `/submissions/${waiting}`,
    async (page) => {
      await page.getByRole('button', { name: 'Accept', exact: true }).click();
      await page.getByRole('dialog').getByLabel('Reason').fill('trading record seen');
      await page.getByText('sss submissions decide').waitFor();
    },
  ],
  supplier: ({ accountId }) => [
    `/suppliers/${accountId}`,
    (page) => page.getByRole('heading', { name: 'Credentials' }).waitFor(),
  ],
  policy: () => [
    '/policies',
    async (page) => {
      await page.getByRole('main').getByRole('link').first().click();
      await page.getByRole('heading', { name: 'Rules' }).waitFor();
    },
  ],
  reports: ({ accountId }) => [
    `/reports?environment=1&account=${accountId}`,
    (page) => page.locator('.uplot').first().waitFor(),
  ],
};

interface Places {
  readonly accountId: string;
  readonly accepted: string;
  readonly waiting: string;
}

describeInBrowser("pictures of the staff's console", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
    mkdirSync(folder, { recursive: true });
  });
  afterAll(() => browser?.close());

  it('are taken of every screen that the console page shows', async () => {
    const alpha = supplier('alpha');
    const staffed = await newSupplier({ decisionMode: DecisionMode.STAFF });
    const [submitted, { submission_id: waiting }] = await Promise.all([
      created(alpha, enquiry()),
      created(staffed, enquiry()),
    ]);
    await settled(alpha, submitted.submission_id, 'billed', isBilled);
    await delivered(alpha, submitted, 'submission.accepted');
    const places = { accountId: alpha.accountId, accepted: submitted.submission_id, waiting };
    const { page, complaints } = await openConsole(browser, {
      name: 'sam',
      role: 'staff:admin',
      height: 900,
    });
    for (const [name, screen] of Object.entries(pictures)) {
      const [path, seen] = screen(places);
      await page.goto(new URL(path, page.url()).href);
      await seen(page);
      await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
      const taken = await page.screenshot({ path: join(folder, `${name}.png`) });
      expect({ name, isEmpty: taken.length < LEAST_BYTES }).toEqual({ name, isEmpty: false });
    }
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('match those in the docs exactly', () => {
    const shown = [...readFileSync(PAGE, 'utf8').matchAll(/\(pictures\/([a-z-]+)\.png\)/g)].map(
      ([, name]) => name,
    );
    const kept = readdirSync(join(checkout, 'docs', 'pictures')).map((name) => name.replace(/\.png$/, ''));
    expect(shown.toSorted()).toEqual(Object.keys(pictures).toSorted());
    expect(kept.toSorted()).toEqual(Object.keys(pictures).toSorted());
  });
});
