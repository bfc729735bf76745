import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Environment, Status } from '@supplier/proto/common/v1/status';
import { FITS } from '../harness/accessibility.ts';
import { describeInBrowser, type Page } from '../harness/browser.ts';
import { openConsole } from '../harness/console.ts';
import { staff } from '../harness/rpc.ts';
import { addSampleData, sampleAccounts } from '../harness/sample-data.ts';
import { addHistory } from '../harness/sample-history.ts';
import { stackFile } from '../harness/stack.ts';
import { waitUntilTrue } from '../harness/wait.ts';

const checkout = resolve(import.meta.dirname, '../..');
const DOCS = join(checkout, 'docs');
/**
 * The folder for pictures of every screen in every size and theme, of a stack with all sample data. Those that the docs
 * show are also copied there. Without it, only the docs' pictures are taken, to see that they can be.
 */
const wanted = process.env.SSS_PICTURES;
const folder = resolve(checkout, wanted ?? '.run/pictures');
const SUBMISSIONS = wanted === undefined ? 40 : 500;
const LEAST_BYTES = 5_000;
const LOOK_AGAIN_MS = 300;

const SIZES = [
  { width: 1_440, height: 900 },
  { width: 1_280, height: 900 },
  { width: 390, height: 844 },
];
const THEMES = ['light', 'dark'] as const;
/** Pictures in the docs have this size and theme. */
const IN_DOCS = '1280-light';
const shownInDocs = [
  ...readFileSync(join(DOCS, 'console.md'), 'utf8').matchAll(/\(pictures\/([a-z0-9-]+)\.png\)/g),
].map(([, name = '']) => name);

/** The screens in the navigation, and one of each kind that they link to. */
const SCREENS_AT_LEAST = 12;
/** A full set is more than 80 pictures. */
jest.setTimeout(600_000);

describeInBrowser("pictures of the staff's console", () => {
  let page: Page;
  let complaints: string[];
  let accounts: ReturnType<typeof sampleAccounts>;
  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    const home = wanted === undefined ? mkdtempSync(join(tmpdir(), 'pictures-')) : dirname(stackFile());
    const file = join(home, 'sample-data.json');
    await addSampleData(file, SUBMISSIONS);
    ({ page, complaints } = await openConsole({ name: 'sam', role: 'staff:admin', height: 900 }));
    accounts = sampleAccounts(file);
    await addHistory(Object.values(accounts).map(({ accountId }) => accountId));
  });
  it('show every screen, and none is wider than its window', async () => {
    const accountId = accounts.harbour?.accountId ?? '';
    const accepted = { accountId, statuses: [Status.ACCEPTED], environment: Environment.PRODUCTION };
    const { submissions } = await staff.submission().listSubmissions({ ...accepted, pageSize: 200 });
    // The first ones have documents.
    const [lead] = submissions.toSorted((a, b) => (a.externalReference < b.externalReference ? -1 : 1));
    const screens = await everyScreen(page, [
      `/submissions/${lead?.submissionId}`,
      `/suppliers/${accountId}`,
      `/suppliers/${accountId}/statements/${new Date().toISOString().slice(0, 7)}`,
    ]);
    expect(screens.size).toBeGreaterThan(SCREENS_AT_LEAST);
    for (const [name, path] of screens) {
      await open(page, path);
      await inEverySize(page, name);
    }
    await page.setViewportSize({ width: 1_280, height: 900 });
    expect(complaints).toEqual([]);
  });

  it('show a dialog', async () => {
    const waiting = { accountId: accounts.copper?.accountId ?? '', statuses: [Status.RECEIVED], pageSize: 1 };
    const [lead] = (await staff.submission().listSubmissions(waiting)).submissions;
    await open(page, `/submissions/${lead?.submissionId}`);
    await page.getByRole('button', { name: 'Accept', exact: true }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('trading record seen');
    await page.getByText('sss submissions decide').waitFor();
    await inEverySize(page, 'dialog');
  });

  it('are the ones in the docs', () => {
    const kept = readdirSync(join(DOCS, 'pictures')).map((name) => name.replace(/\.png$/, ''));
    expect(shownInDocs.toSorted()).toEqual(kept.toSorted());
    expect(readdirSync(folder)).toEqual(
      expect.arrayContaining(shownInDocs.map((name) => `${name}-${IN_DOCS}.png`)),
    );
  });
});

/**
 * Returns the path of each screen by a name for its pictures: those in the navigation, the given ones, and the first of
 * each kind that they link to. An id in a path becomes `one` in the name.
 */
async function everyScreen(page: Page, known: readonly string[]): Promise<Map<string, string>> {
  const navigation = page.getByRole('navigation', { name: 'Main' });
  const screens = new Map<string, string>();
  const add = (paths: readonly string[]) => {
    for (const path of paths) if (!screens.has(nameOf(path))) screens.set(nameOf(path), path);
  };
  add(await pathsIn(navigation));
  add(known);
  for (const path of screens.values()) {
    await open(page, path);
    add(await pathsIn(page.getByRole('main')));
  }
  return screens;
}

const pathsIn = (part: ReturnType<Page['locator']>) =>
  part
    .locator('a[href^="/"]')
    .evaluateAll((links) =>
      (links as unknown as readonly { pathname: string }[]).map(({ pathname }) => pathname),
    );

const nameOf = (path: string) =>
  path
    .split('/')
    .filter((part) => part !== '')
    .map((part) => (/^[a-z_-]+$/.test(part) ? part : 'one'))
    .join('-') || 'overview';

async function open(page: Page, path: string): Promise<void> {
  await page.goto(new URL(path, page.url()).href);
  await page.locator('#screen').getByRole('heading').first().waitFor();
  await isLoaded(page);
  // What has loaded may load more.
  await page.waitForTimeout(LOOK_AGAIN_MS);
  await isLoaded(page);
}

const isLoaded = (page: Page) => page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });

/** Takes the wanted pictures of the page, which must fit into each width. */
async function inEverySize(page: Page, name: string): Promise<void> {
  for (const size of SIZES) {
    await page.setViewportSize(size);
    // Charts follow the window's width a moment later.
    const fits = await waitUntilTrue(page, FITS, { withinMs: 5_000 }).then(
      () => true,
      () => false,
    );
    expect({ name, width: size.width, fits }).toEqual({ name, width: size.width, fits: true });
    for (const theme of THEMES) {
      const look = `${size.width}-${theme}`;
      const isInDocs = look === IN_DOCS && shownInDocs.includes(name);
      if (wanted === undefined && !isInDocs) continue;
      await page.emulateMedia({ colorScheme: theme });
      const path = join(folder, `${name}-${look}.png`);
      // Transitions to another theme or width would be caught halfway.
      const taken = await page.screenshot({ path, animations: 'disabled' });
      expect({ path, isEmpty: taken.length < LEAST_BYTES }).toEqual({ path, isEmpty: false });
      if (wanted !== undefined && isInDocs) copyFileSync(path, join(DOCS, 'pictures', `${name}.png`));
    }
  }
}
