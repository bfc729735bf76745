import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { ApprovalService } from '@supplier/proto/approval/v1/approval';
import { Environment, Status } from '@supplier/proto/common/v1/status';
import { PolicyKind, PolicyService } from '@supplier/proto/submission/v1/policies';
import { CUT } from '../harness/accessibility.ts';
import { newAccount } from '../harness/accounts.ts';
import { describeInBrowser, type Page } from '../harness/browser.ts';
import { openConsole } from '../harness/console.ts';
import { part, press } from '../harness/console-parts.ts';
import { fullEnquiry } from '../harness/enquiries.ts';
import { rpcClient, staff } from '../harness/rpc.ts';
import { addSampleData, sampleAccounts } from '../harness/sample-data.ts';
import { addHistory } from '../harness/sample-history.ts';
import { stackFile } from '../harness/stack.ts';
import { decided } from '../harness/suppliers.ts';
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
/** Half of what web.dev calls good. */
const MAX_SHIFT = 0.05;

const SIZES = [
  { width: 390, height: 844 },
  { width: 1_024, height: 768 },
  { width: 1_440, height: 900 },
  { width: 1_280, height: 900 },
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
  let long: string;
  beforeEach(() => {
    [cut, shifted] = [[], []];
  });
  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    const home = wanted === undefined ? mkdtempSync(join(tmpdir(), 'pictures-')) : dirname(stackFile());
    const file = join(home, 'sample-data.json');
    await addSampleData(file, SUBMISSIONS);
    ({ page, complaints } = await openConsole({ name: 'sam', role: 'staff:admin', height: 900 }));
    await page.addInitScript(SHIFTS);
    accounts = sampleAccounts(file);
    long = await addLongSubmission();
    await addHistory(Object.values(accounts).map(({ accountId }) => accountId));
  });
  it('show every screen, cut off nothing, and move nothing while a screen loads', async () => {
    const accountId = accounts.harbour?.accountId ?? '';
    const supplier = `/suppliers/${accountId}`;
    const { submissions } = await staff.submission().listSubmissions({
      accountId,
      statuses: [Status.ACCEPTED],
      environment: Environment.PRODUCTION,
      pageSize: 200,
    });
    // The first ones have documents.
    const [lead] = submissions.toSorted((a, b) => (a.externalReference < b.externalReference ? -1 : 1));
    const returned = { statuses: [Status.RETURNED], pageSize: 1 };
    const [superseded] = (await staff.submission().listSubmissions(returned)).submissions;
    const [erasure] = (await staff.privacy().listErasures({ pageSize: 1 })).erasures;
    const screens = new Map<string, string>([
      ...(await pathsIn(page.getByRole('navigation', { name: 'Main' }))).map(named),
      ['submissions-one', `/submissions/${lead?.submissionId}`],
      ['submissions-returned', `/submissions/${superseded?.submissionId}`],
      ['suppliers-one', supplier],
      ...['terms', 'credentials', 'webhooks', 'events'].map(
        (tab) => [`suppliers-one-${tab}`, `${supplier}?tab=${tab}`] as const,
      ),
      ['suppliers-one-statements-one', `${supplier}/statements/${new Date().toISOString().slice(0, 7)}`],
      ['approvals-all', '/approvals?state=0'],
      ['data-requests-erasures', '/data-requests?tab=erasures'],
      ['data-requests-retention', '/data-requests?tab=retention'],
      ['data-requests-certificate', `/data-requests?erasure=${erasure?.erasureId}`],
      ...(await requestActivation()),
      ['submissions-long', `/submissions/${long}`],
      ['nothing-here', '/nothing-here'],
    ]);
    for (const [name, path] of screens) {
      await open(page, path);
      await noteShift(page, name);
      await inEverySize(page, name);
      // One of each kind that the screen links to.
      for (const [kind, linked] of (await pathsIn(page.getByRole('main'))).map(named))
        if (!screens.has(kind)) screens.set(kind, linked);
    }
    expect(screens.size).toBeGreaterThan(SCREENS_AT_LEAST);
    expect(cut).toEqual([]);
    expect(shifted).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('show personal details and the attempts of an event, and cut off nothing', async () => {
    await open(page, `/submissions/${long}`);
    const applicant = part(page, 'Applicant');
    await press(applicant, 'Reveal…');
    await applicant.getByLabel('Purpose').fill('request 47');
    await press(applicant, 'Full enquiry');
    await page.getByRole('region', { name: 'Applicant' }).getByText('£480,000').waitFor();
    await inEverySize(page, 'full-enquiry');

    await open(page, `/suppliers/${accounts.harbour?.accountId}?tab=events`);
    await page.getByRole('table', { name: 'Events' }).locator('tbody button').first().click();
    await page.getByRole('dialog').getByRole('table').waitFor();
    await inEverySize(page, 'event');

    await open(page, '/data-requests');
    await part(page, 'Find').getByLabel('Email').fill(LONG.email);
    await part(page, 'Find').getByLabel('Purpose').fill('request 47');
    await press(part(page, 'Find'), 'Find applicant');
    await page.getByRole('region', { name: 'Found submissions' }).getByRole('link').first().waitFor();
    await inEverySize(page, 'data-requests-check');
    expect(cut).toEqual([]);
  });

  it('show a dialog', async () => {
    const waiting = { accountId: accounts.copper?.accountId ?? '', statuses: [Status.RECEIVED], pageSize: 1 };
    const [lead] = (await staff.submission().listSubmissions(waiting)).submissions;
    await open(page, `/submissions/${lead?.submissionId}`);
    await page.getByRole('button', { name: 'Accept', exact: true }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('trading record seen');
    await page.getByText('sss submissions decide').waitFor();
    await inEverySize(page, 'dialog');
    expect(cut).toEqual([]);
  });

  it('are the ones in the docs', () => {
    const kept = readdirSync(join(DOCS, 'pictures')).map((name) => name.replace(/\.png$/, ''));
    expect(shownInDocs.toSorted()).toEqual(kept.toSorted());
    expect(readdirSync(folder)).toEqual(
      expect.arrayContaining(shownInDocs.map((name) => `${name}-${IN_DOCS}.png`)),
    );
  });
});

const LONG = {
  supplier: `The Northumberland and Durham ${'Agricultural Machinery '.repeat(3)}Introducers ${'Llanfair'.repeat(6)} Ltd`,
  external_reference: `REFERENCE-${'2026-11-28-'.repeat(4)}1`,
  email: `${'applicant-with-a-long-address'.repeat(2)}@example.com`,
  business_name: `${'Analytical Engines and Difference Engines '.repeat(3)}Ltd`,
};

/** Adds a submission with long values. */
async function addLongSubmission(): Promise<string> {
  const { supplier, ...long } = LONG;
  const { issue } = await newAccount({}, undefined, undefined, supplier);
  const { submission_id } = await decided(await issue({ environment: 'production' }), fullEnquiry(long));
  return submission_id;
}

/** Requests the activation of a policy with a changed and an added rule, and returns its screens. */
async function requestActivation() {
  const policies = rpcClient('submission', PolicyService);
  const active = JSON.parse((await policies.getPolicy({ kind: PolicyKind.DECISION })).text);
  const version = `test-${randomUUID()}`;
  const rule = {
    rule: 'amount-over-the-limit-of-the-autumn-campaign',
    when: `enquiry.funding_amount > 100000 && enquiry.attribution.campaign == "${'autumn'.repeat(9)}"`,
    outcome: 'rejected',
    reason: 'The amount is over the limit.',
  };
  const text = JSON.stringify({ ...active, version, rules: [rule, ...active.rules] });
  await policies.storePolicy({ kind: PolicyKind.DECISION, text, note: 'Limit the amount of a campaign' });
  const { approvalId } = await rpcClient('submission', ApprovalService).requestApproval({
    action: 'ActivatePolicy',
    argumentsJson: JSON.stringify({ kind: PolicyKind.DECISION, version, purpose: 'the autumn campaign' }),
    purpose: 'The autumn campaign ends',
  });
  return [
    ['approvals-one', `/approvals?service=submission&approval=${approvalId}`],
    ['policies-decision-long', `/policies/decision/${version}`],
    ['policies-decision-changes', `/policies/decision/${version}?tab=changes`],
    ['policies-decision-edit', `/policies/decision/${version}?tab=edit`],
  ] as const;
}

const pathsIn = (part: ReturnType<Page['locator']>) =>
  part
    .locator('a[href^="/"]')
    .evaluateAll((links) =>
      (links as unknown as readonly { pathname: string }[]).map(({ pathname }) => pathname),
    );

/** Returns a name for the pictures of a screen, with its path. An id in the path becomes `one`. */
const named = (path: string) => [nameOf(path), path] as const;

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

/** Notes the screens whose content moves while they load. Only their first load counts. */
async function noteShift(page: Page, name: string): Promise<void> {
  const { sum, moved } = await page.evaluate<{ sum: number; moved: readonly string[] }>('shifts');
  if (sum > MAX_SHIFT) shifted.push(`${name}: ${sum.toFixed(3)}, ${moved.join(', ')}`);
}

/** Adds up how far content moves without input, and names what moves. */
const SHIFTS = `
  globalThis.shifts = { sum: 0, moved: [] };
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      if (hadRecentInput) continue;
      shifts.sum += value;
      for (const { node } of sources) shifts.moved.push((node?.textContent ?? '').slice(0, 40));
    }
  }).observe({ type: 'layout-shift', buffered: true });
`;

/** Takes the wanted pictures of the page, which must cut off nothing at any width. */
/** What is cut off on the screens of a test, and the screens whose content moves. */
let cut: string[] = [];
let shifted: string[] = [];

async function inEverySize(page: Page, name: string): Promise<void> {
  for (const size of SIZES) {
    await page.setViewportSize(size);
    // Charts follow the window's width a moment later.
    await waitUntilTrue(page, `${CUT}.length === 0`, { withinMs: 2_000 }).catch(() => {});
    for (const text of await page.evaluate<string[]>(CUT)) cut.push(`${name}, ${size.width}: ${text}`);
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
