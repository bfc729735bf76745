import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';

export type { Browser, BrowserContext, Download, Locator, Page, Route } from 'playwright-core';

/** Where Debian's package puts it. Nothing is ever downloaded. */
const CHROMIUM = '/usr/bin/chromium';
const ABSENT = `there is no ${CHROMIUM}: apt-get install -y chromium`;
const START_MS = 120_000;

/** Nothing that talks to anybody but the pages under test, and a sandbox neither needed nor possible as root. */
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

/** Starts Chromium; the caller closes it. Throws, saying what to install, where there is none. */
export async function openBrowser(): Promise<Browser> {
  if (!existsSync(CHROMIUM)) throw new Error(ABSENT);
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS, timeout: START_MS });
}

/** A fresh profile on the screen of a phone, without JavaScript: no page may need it. Every wait ends within 10 s. */
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

/**
 * A suite that needs Chromium. Where there is none it is skipped, and says so; with CI=true it runs, and fails, so that
 * no pipeline is green for want of a browser.
 */
export function describeInBrowser(name: string, suite: () => void): void {
  const runs = existsSync(CHROMIUM) || process.env.CI === 'true';
  if (!runs) console.warn(`skipped: "${name}", because ${ABSENT}`);
  const declare = runs ? describe : describe.skip;
  declare(name, suite);
}
