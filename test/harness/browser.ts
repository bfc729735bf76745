import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';

export type { Browser, BrowserContext, Download, Locator, Page, Route } from 'playwright-core';

/**
 * Where Debian's packages put it. Nothing is ever downloaded. The shell is the same Chromium without what only a window
 * needs, and draws the same pages with less than half of the work.
 */
const SHELL = '/usr/bin/chromium-headless-shell';
const CHROMIUM = [SHELL, '/usr/bin/chromium'].find(existsSync);
const ABSENT = `there is no ${SHELL}: apt-get install -y chromium-headless-shell`;
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
  if (CHROMIUM === undefined) throw new Error(ABSENT);
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
  const runs = CHROMIUM !== undefined || process.env.CI === 'true';
  if (!runs) console.warn(`skipped: "${name}", because ${ABSENT}`);
  const declare = runs ? describe : describe.skip;
  declare(name, suite);
}
