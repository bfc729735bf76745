import { setTimeout as pause } from 'node:timers/promises';
import { type BrowserContext, FAR_ZONE, type Page, suiteBrowser } from './browser.ts';
import { readStack } from './stack.ts';

const STARTED_MS = 60_000;
const LOOK_MS = 200;
const WAIT_MS = 60_000;

/** Returns the URL of the staff console once it has started. Throws if it doesn't start within a minute. */
export async function consoleUrl(): Promise<string> {
  for (const end = Date.now() + STARTED_MS; Date.now() < end; await pause(LOOK_MS)) {
    const { console: url } = readStack();
    if (url !== undefined) return url;
  }
  throw new Error('cannot open the console: the stack did not start it within a minute');
}

export interface OpenedConsole {
  readonly page: Page;
  /** CSP violations and uncaught errors on the page. */
  readonly complaints: string[];
}

/** Opens a separate browser context, logged in as a member of staff, on a console screen. */
export async function openConsole(who: {
  readonly name: string;
  readonly role: string;
  readonly path?: string;
  readonly height?: number;
}): Promise<OpenedConsole> {
  const context = await suiteBrowser().newContext({
    ...FAR_ZONE,
    permissions: ['clipboard-write'],
    viewport: { width: 1280, height: who.height ?? 800 },
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(WAIT_MS);
  const page = await context.newPage();
  const complaints = complaintsOf(page);
  await beginSession(context, who.name, who.role);
  await page.goto(`${await consoleUrl()}${who.path ?? '/'}`);
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  return { page, complaints };
}

/** Returns a list to which the CSP violations and uncaught errors of a page are added. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) complaints.push(message.text());
  });
  return complaints;
}

/**
 * Logs in without rendering a page, which would take half as long as a test. The session's cookies go into the context.
 */
async function beginSession({ request }: BrowserContext, name: string, role: string): Promise<void> {
  const form = await request.get(`${await consoleUrl()}/login`);
  const hidden = (await form.text()).matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
  const fields = Object.fromEntries([...hidden].map(([, field = '', value = '']) => [field, value]));
  const action = new URL('/authorize', form.url()).href;
  const answer = await request.post(action, { form: { ...fields, name, role, decision: 'approve' } });
  if (!answer.ok()) throw new Error(`cannot log in as ${name}: ${answer.status()}`);
}

/** Submits the login form on the current page and waits for the console. */
export async function logIn(page: Page, name: string, role: string): Promise<void> {
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Role').selectOption(role);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
}
