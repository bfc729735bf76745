import { setTimeout as pause } from 'node:timers/promises';
import { residentBytes } from '../../deploy/local/memory.ts';
import { type Browser, openBrowser, type Page } from '../harness/browser.ts';
import { logIn } from '../harness/console.ts';
import { waitUntilTrue } from '../harness/wait.ts';
import type { Bench } from './bench.ts';
import type { Benchmark } from './benchmark.ts';
import { makeSubmissionToCopy } from './finding/finding.ts';
import { fillTables } from './leads/fill.ts';
import { percentile } from './statistics.ts';

const USUAL_ROWS = 200_000;
const OPENED = { usual: 20, short: 2 };
const LISTED = { usual: 30, short: 2 };
const SCROLLED_ROWS = { usual: 10_000, short: 200 };
const STARTED_MS = 60_000;
const WAIT_MS = 60_000;
const KIB = 1_024;
const MIB = KIB * KIB;
const FETCHED_MS = 10_000;

/** Typical queries of the submission list. */
const LISTS = { everything: '', accepted: '?status=2', 'not billable': '?billing=3', parked: '?queue=5' };

/** The staff console in a real browser, on the same machine as its stack. */
export const consoleInBrowser: Benchmark = {
  summary: 'the staff console in a browser: first page, long lists, scrolling, memory',
  async run(bench, { rows: given, short }, add) {
    const url = await startedConsole(bench);
    const size = short ? 'short' : 'usual';
    const rows = given || USUAL_ROWS;
    await makeSubmissionToCopy(bench);
    bench.progress(`filling the tables with ${rows} leads …`);
    await fillTables(bench, rows, ['submission']);
    const browser = await openBrowser();
    try {
      const page = await loggedIn(browser, url);
      const opened = await firstPages(browser, url, OPENED[size]);
      add(
        {
          what: 'first page, cold cache: p50',
          value: percentile(opened.times, 0.5),
          unit: 'ms',
          target: { atMost: 1_000 },
        },
        { what: 'first page, cold cache: maximum', value: Math.max(...opened.times), unit: 'ms' },
        {
          what: 'script, compressed',
          value: opened.scriptBytes / KIB,
          unit: 'KiB',
          target: { atMost: 250 },
        },
      );
      for (const [what, search] of Object.entries(LISTS)) {
        const times = await listed(page, new URL(`/submissions${search}`, url), LISTED[size]);
        add({ what: `list of ${what}: p50`, value: percentile(times, 0.5), unit: 'ms' });
        add({
          what: `list of ${what}: p99`,
          value: percentile(times, 0.99),
          unit: 'ms',
          ...(short ? {} : { target: { atMost: 200 } }),
        });
      }
      const { held, frames } = await scrolled(
        page,
        new URL('/submissions', url),
        Math.min(SCROLLED_ROWS[size], rows),
      );
      add(
        { what: 'rows scrolled through', value: held, unit: 'rows' },
        { what: 'frame while scrolling: p50', value: percentile(frames, 0.5), unit: 'ms' },
        { what: 'frame while scrolling: p99', value: percentile(frames, 0.99), unit: 'ms' },
        {
          what: 'memory of the process (PSS)',
          value: residentBytes(bench.pids().console ?? 0) / MIB,
          unit: 'MiB',
          target: { atMost: 80 },
        },
      );
    } finally {
      await browser.close();
    }
  },
};

/** Waits for the console, which the stack starts last. */
async function startedConsole(bench: Bench): Promise<string> {
  for (const end = Date.now() + STARTED_MS; Date.now() < end; await pause(100)) {
    const { console: url } = bench.stack;
    if (url !== undefined) return url;
  }
  throw new Error('cannot measure the console: the stack did not start it within a minute');
}

async function loggedIn(browser: Browser, url: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  context.setDefaultTimeout(WAIT_MS);
  const page = await context.newPage();
  await page.goto(url);
  await logIn(page, 'bench', 'staff:admin');
  return page;
}

/** Returns the milliseconds from requesting the page until the queues are shown, each time with an empty cache. */
async function firstPages(browser: Browser, url: string, times: number) {
  const taken: number[] = [];
  let scriptBytes = 0;
  for (let n = 0; n < times; n += 1) {
    const page = await loggedIn(browser, url);
    // A first visit, except for the login.
    const session = await page.context().newCDPSession(page);
    await session.send('Network.clearBrowserCache');
    await page.goto(url, { waitUntil: 'commit' });
    await page.getByRole('heading', { name: 'Awaiting decision' }).first().waitFor();
    taken.push(await page.evaluate<number>('performance.now()'));
    scriptBytes = await page.evaluate<number>(SCRIPT_BYTES);
    await page.context().close();
  }
  return { times: taken, scriptBytes };
}

/** Returns the milliseconds from requesting a list's first page until its response is read. */
async function listed(page: Page, url: URL, times: number): Promise<number[]> {
  const taken: number[] = [];
  for (let n = 0; n < times; n += 1) {
    await page.goto(url.href);
    await page.locator('table[aria-busy=false]').waitFor();
    const call = await page.evaluate<number | undefined>(LIST_MS);
    if (call === undefined) throw new Error('cannot measure the list: the page did not request one');
    taken.push(call);
  }
  return taken;
}

/**
 * Scrolls a list until it has loaded `rows` rows, then scrolls through all of them; returns the milliseconds of each
 * frame.
 */
async function scrolled(page: Page, url: URL, rows: number) {
  await page.goto(url.href);
  await page.locator('table[aria-busy=false]').waitFor();
  for (let held = 0, before = -1; held > before && held < rows; ) {
    before = held;
    await page.evaluate(`${SCROLLED}.scrollTo(0, ${SCROLLED}.scrollHeight)`);
    // More rows are loaded only while there are any, so the last wait times out.
    await waitUntilTrue(page, `${LAST_ROW} > ${held}`, { withinMs: FETCHED_MS }).catch(() => {});
    held = await page.evaluate<number>(LAST_ROW);
  }
  const held = await page.evaluate<number>(LAST_ROW);
  return { held, frames: await page.evaluate<number[]>(SCROLL) };
}

/** Scripts evaluated in the page. */
const SCROLLED = `document.querySelector('main section[aria-label$=scrollable]')`;
const SCRIPT_BYTES = `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js'))
  .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`;
const LIST_MS = `performance.getEntriesByType('resource').find(({ name }) => name.endsWith('/ListSubmissions'))?.duration`;
const LAST_ROW = `Math.max(0, ...[...document.querySelectorAll('tr[aria-rowindex]')].map((row) => row.ariaRowIndex - 1))`;
const SCROLL = `(async () => {
  const taken = [];
  const list = ${SCROLLED};
  const bottom = list.scrollHeight;
  let last = performance.now();
  for (let y = 0; y < bottom; y += 400) {
    list.scrollTo(0, y);
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    taken.push(now - last);
    last = now;
  }
  return taken;
})()`;
