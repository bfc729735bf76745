import type { Page } from './browser.ts';
import type { PageTraces } from './page-traces.ts';
import { formsOf } from './written-forms.ts';

/** The dialog of the act that somebody has begun with. */
export const dialog = (page: Page) => page.getByRole('dialog');
/** A button of it. */
export const inDialog = (page: Page, name: string) => dialog(page).getByRole('button', { name, exact: true });
/** A part of a screen, by its title. */
export const part = (page: Page, title: string) =>
  page.locator('section.part').filter({ has: page.getByRole('heading', { name: title, exact: true }) });
/** The button of an act in a part. */
export const act = (page: Page, title: string, name: string) =>
  part(page, title).getByRole('button', { name, exact: true });
/** What a dialog says of a refusal. */
export const refusal = (page: Page) => dialog(page).locator('.bp6-intent-danger[role=alert]');

/** Opens the dialog of an act and answers nothing yet. */
export async function begin(page: Page, title: string, name: string): Promise<void> {
  await act(page, title, name).click();
  await dialog(page).waitFor();
}

/** Does what a dialog asks for, and waits until it is closed. */
export async function finish(page: Page, name: string): Promise<void> {
  await inDialog(page, name).click();
  await dialog(page).waitFor({ state: 'detached' });
}

/** What a dialog offers to a terminal. */
export const commandIn = async (page: Page) =>
  (await dialog(page).locator('p', { hasText: 'In a terminal' }).locator('code').textContent()) ?? '';

/** What the dialog shows once, after which it is closed. */
export async function secretIn(page: Page, label: string): Promise<string> {
  const secret = await dialog(page).getByLabel(label).inputValue();
  await finish(page, 'Done');
  return secret;
}

/** What the page's caches of answers hold, found by the object that React gave to its screens. */
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

/** Expects that a secret which was in an answer is nowhere on its page, and in nothing that the page keeps. */
export async function expectGone(page: Page, held: PageTraces, secret: string): Promise<void> {
  const holding = await held.holding(formsOf([secret]));
  expect(holding).toEqual(['answers']);
  const cached = await page.evaluate<string>(CACHED);
  expect(cached).toContain('accountId');
  expect(cached).not.toContain(secret);
}
