import type { Locator, Page } from './browser.ts';

/** Returns a section of a console screen by its title. */
export const part = (page: Page, title: string): Locator =>
  page.locator('main section', { has: page.getByRole('heading', { name: title, level: 2 }) });

/** Waits until a screen has its title and every section has loaded. */
export async function filled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' });
}

/** Returns the figures of a screen: label, value and detail of each. */
export const figuresOf = (scope: Page | Locator): Promise<readonly string[][]> =>
  scope
    .locator('section:has(> h2 + .number)')
    .evaluateAll((figures) =>
      figures.map((figure) => [...figure.children].slice(0, 3).map((child) => child.textContent)),
    );

/** Returns the open dialog. */
export const dialog = (page: Page): Locator => page.getByRole('dialog');

/** Presses the button with exactly this name. */
export const press = (scope: Locator, name: string): Promise<void> =>
  scope.getByRole('button', { name, exact: true }).click();

/** Opens the dialog of an action of the page, whether it is a button or an item of the menu. */
export async function openAction(page: Page, name: string): Promise<void> {
  const button = page.getByRole('main').getByRole('button', { name, exact: true });
  const more = page.getByRole('button', { name: 'More ▾' });
  await button.or(more).first().waitFor();
  if ((await button.count()) > 0) return button.first().click();
  await more.click();
  // As the page loads, an item can become a button.
  await page.getByRole('menuitem', { name, exact: true }).or(button).first().click();
}

/** Opens an action, enters a purpose if there is one, and confirms. */
export async function act(page: Page, name: string, purpose?: string): Promise<void> {
  await dialog(page).waitFor({ state: 'detached' });
  await openAction(page, name);
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

/** Enters a text into the search of the shell. */
export async function enterSearch(page: Page, text: string): Promise<void> {
  await page.getByRole('button', { name: /^Search by reference/ }).click();
  await page.getByRole('textbox', { name: 'Search' }).fill(text);
}

/** Searches for a text, and opens what it names. */
export async function search(page: Page, text: string): Promise<void> {
  await enterSearch(page, text);
  await page.getByRole('button', { name: `Search for “${text}”` }).click();
}

/** Returns the links to a submission on a screen. */
export const submissionLink = (page: Page, submissionId: string): Locator =>
  page.locator(`a[href^="/submissions/${submissionId}?"]`);

/** Sets a list's filter to a text. */
export async function enterFilter(page: Page, filter: string, text: string): Promise<void> {
  await page
    .getByRole('region', { name: 'Filters' })
    .getByRole('button', { name: new RegExp(`^${filter}`) })
    .first()
    .click();
  await page.getByRole('dialog', { name: filter }).getByLabel(filter).fill(text);
  await page.keyboard.press('Enter');
}

/** Switches one value of a list's filter on or off. */
export async function toggleFilter(page: Page, filter: string, value: string): Promise<void> {
  await page
    .getByRole('region', { name: 'Filters' })
    .getByRole('button', { name: new RegExp(`^${filter}`) })
    .first()
    .click();
  await page.getByRole('dialog', { name: filter }).getByLabel(value, { exact: true }).click();
  await page.keyboard.press('Escape');
}

/** Records the page's refused calls; a user who only looks must cause none. */
export function refusedCalls(page: Page): string[] {
  const refused: string[] = [];
  page.on('response', (answer) => {
    if (answer.url().includes('/rpc/') && answer.status() >= 400) refused.push(answer.url());
  });
  return refused;
}
