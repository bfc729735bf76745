import type { Locator, Page } from './browser.ts';

/** Returns a section of a console screen by its title. */
export const part = (page: Page, title: string): Locator =>
  page.locator('section.part', { has: page.getByRole('heading', { name: title, level: 2 }) });

/** Waits until a screen has its title and every section has loaded. */
export async function filled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' });
}

/** Returns the open dialog. */
export const dialog = (page: Page): Locator => page.getByRole('dialog');

/** Presses the button with exactly this name. */
export const press = (scope: Locator, name: string): Promise<void> =>
  scope.getByRole('button', { name, exact: true }).click();

/** Opens an action, enters a purpose if there is one, and confirms. */
export async function act(page: Page, name: string, purpose?: string): Promise<void> {
  await dialog(page).waitFor({ state: 'detached' });
  await page.getByRole('button', { name, exact: true }).click();
  if (purpose !== undefined) await dialog(page).getByLabel('Purpose').fill(purpose);
  await press(dialog(page), name);
}

/** Hides or shows the page, as switching tabs does. */
export const setHidden = (page: Page, hidden: boolean): Promise<void> =>
  page.evaluate(`
    Object.defineProperty(document, 'hidden', { configurable: true, value: ${hidden} });
    Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${hidden ? 'hidden' : 'visible'}' });
    document.dispatchEvent(new Event('visibilitychange'));
  `);
