import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';

export type { Browser, BrowserContext, Download, Locator, Page, Route } from 'playwright-core';

/**
 * Where Debian's packages install Chromium; nothing is ever downloaded. The headless shell is the same Chromium without
 * the window support, and renders the same pages with less than half the work.
 */
const SHELL = '/usr/bin/chromium-headless-shell';
const CHROMIUM = [SHELL, '/usr/bin/chromium'].find(existsSync);
const ABSENT = `there is no ${SHELL}: apt-get install -y chromium-headless-shell`;
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

/** Starts Chromium; the caller closes it. If Chromium is missing, throws an error that names the package to install. */
export async function openBrowser(): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error(ABSENT);
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS, timeout: START_MS });
}

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

/**
 * Declares a suite that needs Chromium. Without Chromium the suite is skipped and reported as such; with CI=true it
 * runs and fails, so that no pipeline passes without a browser.
 */
export function describeInBrowser(name: string, suite: () => void): void {
  const runs = CHROMIUM !== undefined || process.env.CI === 'true';
  if (!runs) console.warn(`skipped: "${name}", because ${ABSENT}`);
  const declare = runs ? describe : describe.skip;
  declare(name, suite);
}
