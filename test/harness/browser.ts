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

/** Starts Chromium; the caller closes it. */
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ ...findChromium(), args: FLAGS, timeout: START_MS });

/** Opens a fresh phone-sized profile without JavaScript, which no page may require. Every wait times out after 10 s. */
export async function openPhone(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext({
    viewport: { width: 375, height: 667 },
    deviceScaleFactor: 2,
    hasTouch: true,
    isMobile: true,
    javaScriptEnabled: false,
    ignoreHTTPSErrors: true,
  });
  context.setDefaultTimeout(10_000);
  return context;
}

/** Declares a suite that needs Chromium. It is skipped on a platform for which none is packaged and none is installed. */
export function describeInBrowser(name: string, suite: () => void): void {
  const declare = hasChromium ? describe : describe.skip;
  declare(name, suite);
}
