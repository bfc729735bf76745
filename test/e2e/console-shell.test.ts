import { type Browser, describeInBrowser, openBrowser } from '../harness/browser.ts';
import { openConsole } from '../harness/console.ts';

describeInBrowser('what stands around the screens of the console', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  it('names the page for its screen, and has keys and readers begin there when somebody has come to it', async () => {
    const { page } = await openConsole(browser, { name: 'tia', role: 'staff:viewer' });
    expect(await page.title()).toBe('Today · Staff console');
    for (const screen of ['Submissions', 'Suppliers', 'Today']) {
      await page.getByRole('navigation', { name: 'Screens' }).getByText(screen, { exact: true }).click();
      await page.locator('main:focus').waitFor();
      expect(await page.title()).toBe(`${screen} · Staff console`);
    }
    await page.context().close();
  });

  it('offers no more than the roles that somebody has by now', async () => {
    const { page } = await openConsole(browser, { name: 'tom', role: 'staff:admin' });
    const screens = page.getByRole('navigation', { name: 'Screens' });
    await screens.getByText('Audit').waitFor();
    // As after a renewal at a provider where it was taken.
    await page.route('**/rpc/**', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, headers: { ...response.headers(), 'console-roles': 'staff:billing' } });
    });
    await screens.getByText('Money').click();
    await screens.getByText('Audit').waitFor({ state: 'detached' });
    expect(await screens.getByRole('link').allTextContents()).toEqual(['Today', 'Money', 'Figures']);
    await page.getByText('(staff:billing)').waitFor();
    await page.context().close();
  });
});
