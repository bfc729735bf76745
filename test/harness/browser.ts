import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { findChromium, hasChromium } from './chromium.ts';

export type { Browser, BrowserContext, Download, Locator, Page, Route } from 'playwright-core';

const START_MS = 120_000;

/** No background network traffic, and no sandbox: it isn't needed, and root can't use it. */
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
];

/** Far from UTC and London, because no page may depend on a browser's time zone unless the person chose it. */
export const FAR_ZONE = { timezoneId: 'Pacific/Auckland' } as const;

/** Starts Chromium; the caller closes it. */
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ ...findChromium(), args: FLAGS, timeout: START_MS });

/** Opens a fresh phone-sized profile without JavaScript, which no page may require. Every wait times out after a minute. */
export async function openPhone(): Promise<BrowserContext> {
  const context = await suiteBrowser().newContext({
    ...FAR_ZONE,
    viewport: { width: 375, height: 667 },
    deviceScaleFactor: 2,
    hasTouch: true,
    isMobile: true,
    javaScriptEnabled: false,
    ignoreHTTPSErrors: true,
  });
  context.setDefaultTimeout(60_000);
  return context;
}

/** This process's browser for suites. Starting one takes longer than most tests. */
let shared: Browser | undefined;

/** Returns the browser of the current suite. */
export function suiteBrowser(): Browser {
  if (!shared) throw new Error('there is a browser only within describeInBrowser');
  return shared;
}

/**
 * Declares a suite that needs Chromium. It is skipped on a platform for which none is packaged and none is installed.
 * The contexts that a test opens are closed after it.
 */
export function describeInBrowser(name: string, suite: () => void): void {
  const declare = hasChromium ? describe : describe.skip;
  declare(name, () => {
    beforeAll(async () => {
      if (!shared?.isConnected()) shared = await openBrowser();
    }, START_MS);
    afterAll(async () => {
      await closeAll([]);
      // The browser of a worker ends with it; a run in one process would wait for it.
      if (!process.connected) await shared?.close();
    });
    let before: readonly BrowserContext[] = [];
    beforeEach(() => {
      before = suiteBrowser().contexts();
    });
    afterEach(() => closeAll(before));
    suite();
  });
}

const closeAll = (except: readonly BrowserContext[]) =>
  Promise.all(
    suiteBrowser()
      .contexts()
      .filter((context) => !except.includes(context))
      .map(async (context) => {
        // A screen may have called once more since its test ended.
        await Promise.all(context.pages().map((page) => page.unrouteAll({ behavior: 'ignoreErrors' })));
        await context.close();
      }),
  );
