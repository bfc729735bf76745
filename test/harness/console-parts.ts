import type { Locator, Page } from './browser.ts';

/** A part of a screen of the console, by its title. */
export const part = (page: Page, title: string): Locator =>
  page.locator('section.part', { has: page.getByRole('heading', { name: title, level: 2 }) });

/** Waits until a screen has its title, and every part of it an answer. */
export async function filled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' });
}

/** What somebody is about to do. */
export const dialog = (page: Page): Locator => page.getByRole('dialog');

/** Presses a button of that very name. */
export const press = (scope: Locator, name: string): Promise<void> =>
  scope.getByRole('button', { name, exact: true }).click();

/** Begins an act, says why where that is asked for, and does it. */
export async function act(page: Page, name: string, purpose?: string): Promise<void> {
  await dialog(page).waitFor({ state: 'detached' });
  await page.getByRole('button', { name, exact: true }).click();
  if (purpose !== undefined) await dialog(page).getByLabel('Purpose').fill(purpose);
  await press(dialog(page), name);
}

/** Hides the page, or shows it again, as another tab before it would. */
export const setHidden = (page: Page, hidden: boolean): Promise<void> =>
  page.evaluate(`
    Object.defineProperty(document, 'hidden', { configurable: true, value: ${hidden} });
    Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${hidden ? 'hidden' : 'visible'}' });
    document.dispatchEvent(new Event('visibilitychange'));
  `);
