import { describeInBrowser, type Page } from '../harness/browser.ts';
import { consoleUrl, openConsole } from '../harness/console.ts';

const navigation = (page: Page) => page.getByRole('navigation', { name: 'Main' });
const open = (page: Page, name: string) => navigation(page).getByRole('link', { name, exact: true }).click();
const missing = (page: Page) => page.getByRole('alert').getByText('This page could not be loaded');
const retry = (page: Page) => page.getByRole('main').getByRole('button', { name: 'Retry' }).click();

describeInBrowser('loading of the staff console', () => {
  it('shows the frame until the application has loaded, without moving anything', async () => {
    const { page } = await openConsole({ name: 'flo', role: 'staff:admin', path: '/audit' });
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/assets/**', async (route) => {
      await held;
      await route.continue();
    });
    await page.addInitScript(SHIFTS);
    await page.goto(`${await consoleUrl()}/submissions`, { waitUntil: 'commit' });
    const frame = page.locator('.first-frame');
    await frame.getByText('Loading…').waitFor();
    const [aside, header] = [await boxOf(page, 'aside'), await boxOf(page, 'header')];
    const painted = "performance.getEntriesByName('first-contentful-paint').length > 0";
    await page.waitForFunction(painted);
    release();
    await navigation(page).waitFor();
    expect(await boxOf(page, 'nav.mantine-AppShell-navbar')).toEqual(aside);
    expect(await boxOf(page, 'header.mantine-AppShell-header')).toEqual(header);
    await page.getByRole('table', { name: 'Submissions' }).waitFor();
    expect(await page.evaluate<number>('shifts')).toBeLessThanOrEqual(0.05);
  });

  it('says that there is no connection, keeps the frame, and continues after Retry', async () => {
    const { page } = await openConsole({ name: 'nell', role: 'staff:admin', path: '/find' });
    await page.context().setOffline(true);
    await open(page, 'Audit log');
    await missing(page).waitFor();
    await retry(page);
    await page.getByText('The console still does not respond.').waitFor();
    expect(await navigation(page).isVisible()).toBe(true);
    await page.context().setOffline(false);
    await retry(page);
    await page.getByRole('heading', { name: 'Audit log', level: 1 }).waitFor();
  });

  it('reloads the page once if the file of a screen is gone, and then says so, for every screen', async () => {
    const { page } = await openConsole({ name: 'gus', role: 'staff:admin', path: '/find' });
    let isGone = true;
    await page.route(/\/assets\/(?:audit|policies)-[^/]*\.js$/, (route) =>
      isGone ? route.fulfill({ status: 404 }) : route.continue(),
    );
    const reloadedAfter = async (act: Promise<void>) => {
      await Promise.all([page.waitForEvent('load'), act]);
      await missing(page).waitFor();
    };
    for (const name of ['Audit log', 'Policies', 'Audit log']) {
      await reloadedAfter(open(page, name));
      expect(await navigation(page).isVisible()).toBe(true);
    }
    await reloadedAfter(retry(page));
    isGone = false;
    await retry(page);
    await page.getByRole('heading', { name: 'Audit log', level: 1 }).waitFor();
  });

  it('says that the console is not responding if nobody can be asked who is logged in', async () => {
    const { page } = await openConsole({ name: 'ann', role: 'staff:viewer', path: '/find' });
    await page.route('**/session', (route) => route.abort());
    await page.reload();
    await page.getByText('The console is not responding.').waitFor();
    await page.unroute('**/session');
    await page.getByRole('link', { name: 'Retry' }).click();
    await navigation(page).waitFor();
  });
});

/** Adds up how far content moves. */
const SHIFTS = `
  globalThis.shifts = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.shifts += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
`;

const boxOf = (page: Page, selector: string) => page.locator(selector).first().boundingBox();
