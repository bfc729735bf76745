import type { Page } from './browser.ts';
import { formsOf } from './encoded-forms.ts';
import type { PageTraces } from './page-traces.ts';

/** Returns the dialog of the current action. */
export const dialog = (page: Page) => page.getByRole('dialog');
/** Returns a button in the dialog. */
export const inDialog = (page: Page, name: string) => dialog(page).getByRole('button', { name, exact: true });
/** Returns a section of a screen by its title. */
export const part = (page: Page, title: string) =>
  page.locator('main section').filter({ has: page.getByRole('heading', { name: title, exact: true }) });
/** Returns the button of an action in a section. */
export const act = (page: Page, title: string, name: string) =>
  part(page, title).getByRole('button', { name, exact: true });
/** Returns the error message in a dialog. */
export const refusal = (page: Page) => dialog(page).locator('form > [tabindex="-1"] [role=alert]');

/** Opens an action's dialog without filling it in, whether it is a button of the section or an item of its menu. */
export async function begin(page: Page, title: string, name: string): Promise<void> {
  const button = act(page, title, name);
  const more = part(page, title).getByRole('button', { name: /^More actions/ });
  await button.or(more).first().waitFor();
  if ((await button.count()) > 0) await button.click();
  else {
    await more.click();
    await page.getByRole('menuitem', { name, exact: true }).click();
  }
  await dialog(page).waitFor();
}

/** Opens a tab of the screen. */
export const openTab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true }).click();

/** Presses a dialog's button and waits until the dialog is closed. */
export async function finish(page: Page, name: string): Promise<void> {
  await inDialog(page, name).click();
  await dialog(page).waitFor({ state: 'detached' });
}

/** Returns the equivalent terminal command shown in a dialog. */
export const commandIn = async (page: Page) =>
  (await dialog(page).locator('p', { hasText: 'In a terminal' }).locator('code').textContent()) ?? '';

/** Opens a section of the settings in the dialog. */
export const openSection = (page: Page, name: string) =>
  dialog(page)
    .getByRole('button', { name: new RegExp(`^${name}`), expanded: false })
    .click();

/** Returns the secret that the dialog shows, then copies it and closes the dialog. */
export async function secretIn(page: Page, label: string): Promise<string> {
  const secret = await dialog(page).getByLabel(label, { exact: true }).inputValue();
  await inDialog(page, 'Copy').click();
  await inDialog(page, 'Copied').waitFor();
  await finish(page, 'Done');
  return secret;
}

/** Reads the contents of the page's query caches, found through the object that React attaches to its root element. */
const CACHED = `(() => {
  const place = document.getElementById('app');
  const key = Object.keys(place).find((name) => name.startsWith('__reactContainer$'));
  for (let fibre = place[key]; fibre; fibre = fibre.child) {
    const client = fibre.memoizedProps?.client;
    if (!client?.getMutationCache) continue;
    const states = [client.getQueryCache(), client.getMutationCache()].flatMap((cache) => cache.getAll());
    return JSON.stringify(states.map(({ state }) => state), (_, value) =>
      typeof value === 'bigint' ? String(value) : value);
  }
})()`;

/** Asserts that a secret from a response is no longer shown on the page or held in anything that the page keeps. */
export async function expectGone(page: Page, held: PageTraces, secret: string): Promise<void> {
  const holding = await held.holding(formsOf([secret]));
  expect(holding).toEqual(['answers']);
  const cached = await page.evaluate<string>(CACHED);
  expect(cached).toContain('accountId');
  expect(cached).not.toContain(secret);
}
