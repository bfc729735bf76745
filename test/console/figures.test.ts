import { readFileSync } from 'node:fs';
import { Environment } from '@supplier/proto/common/v1/status';
import { barriers } from '../harness/accessibility.ts';
import { newSupplier } from '../harness/accounts.ts';
import { describeInBrowser, type Page } from '../harness/browser.ts';
import { openConsole } from '../harness/console.ts';
import { figuresOf, part, press } from '../harness/console-parts.ts';
import { enquiry } from '../harness/enquiries.ts';
import { staff } from '../harness/rpc.ts';
import { created, decided } from '../harness/suppliers.ts';

const CAP = 5;
const INTAKE = 'Submissions by outcome';

/** Returns the rows of a plot's data table, opened by keyboard. */
async function rowsOf(page: Page, title: string): Promise<string[][]> {
  await page.getByText(`${title} as a table`).press('Enter');
  const table = page.getByRole('region', { name: `Table: ${title}`, exact: true }).getByRole('table');
  await table.waitFor();
  return cellsOf(page, title);
}
const cellsOf = (page: Page, label: string) =>
  page
    .getByRole('region', { name: `Table: ${label}`, exact: true })
    .locator('tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) => [...row.querySelectorAll('th, td')].map((cell) => cell.textContent.trim())),
    );

describeInBrowser("the console's figures", () => {
  let supplier: Awaited<ReturnType<typeof newSupplier>>;
  let path: string;
  beforeAll(async () => {
    supplier = await newSupplier({ caps: { acceptedPerDay: CAP } });
    path = `/reports?environment=${Environment.SANDBOX}&days=7&account=${supplier.accountId}`;
    const sent = enquiry();
    await decided(supplier, sent);
    await decided(supplier, enquiry());
    // The same customer again.
    await created(supplier, { ...sent, external_reference: `again-${sent.external_reference}` });
  });
  it('match the services’', async () => {
    const { page, complaints } = await openConsole({ name: 'fay', role: 'staff:admin', path });
    const rows = await rowsOf(page, INTAKE);
    await page.getByRole('table', { name: 'By supplier' }).waitFor();
    expect(await barriers(page)).toEqual([]);
    const day = new Date();
    const { days, accounts } = await staff.submission().getIntake({
      environment: Environment.SANDBOX,
      accountId: supplier.accountId,
      fromDay: new Date(day.getTime() - 6 * 86_400_000).toISOString().slice(0, 10),
      untilDay: day.toISOString().slice(0, 10),
    });
    expect(rows).toEqual(
      days.map((one) => [
        one.day === day.toISOString().slice(0, 10) ? `${one.day} so far` : one.day,
        ...[one.accepted, one.rejected, one.duplicates, one.returned, one.undecided].map(String),
      ]),
    );
    expect(rows.at(-1)).toEqual([expect.any(String), '2', '0', '1', '0', '0']);
    expect(accounts).toMatchObject([{ accountId: supplier.accountId, acceptedToday: 2n }]);
    const { name } = await staff.account().getAccount({ accountId: supplier.accountId });
    await page.getByRole('link', { name, exact: true }).first().waitFor();
    expect((await cellsOf(page, 'By supplier'))[0]).toEqual([name, '3', '2', '66.7%', '1', '0', '0', '0']);
    await page.locator('.uplot').nth(2).waitFor();
    // The plots are drawn too: no canvas is empty.
    const drawn = await page.evaluate<
      boolean[]
    >(`[...document.querySelectorAll('.uplot canvas')].map((canvas) =>
      canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some((value) => value > 0))`);
    expect(drawn).toEqual([true, true, true]);
    expect((await figuresOf(page))[0]).toEqual(['Received', '3', '66.7% accepted, 0 undecided']);
    await page
      .locator('.u-over')
      .first()
      .hover({ position: { x: 5, y: 5 } });
    await page.locator('.chart-tooltip:visible').getByText('Accepted: 0').waitFor();
    expect(complaints).toEqual([]);
  });

  it('of a month and a supplier are a file and a printable page, two clicks from the supplier', async () => {
    const { page } = await openConsole({
      name: 'fay',
      role: 'staff:admin',
      path: `/suppliers/${supplier.accountId}?environment=${Environment.SANDBOX}`,
    });
    const month = new Date().toISOString().slice(0, 7);
    const name = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });
    const title = `Report for ${name.format(new Date())}`;
    await page.getByRole('progressbar', { name: `2 of ${CAP}` }).waitFor();
    await page.getByRole('link', { name: title }).click();
    const download = page.waitForEvent('download');
    await press(part(page, 'By day'), 'Download CSV');
    const file = await download;
    expect(file.suggestedFilename()).toMatch(
      new RegExp(`^report-by-day-${month}-01-${month}-\\d\\d-${supplier.accountId}\\.csv$`),
    );
    const lines = readFileSync(await file.path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    expect(lines[0]).toBe('\ufeffday,received,accepted,duplicates,rejected,returned,undecided');
    expect(lines).toHaveLength(new Date().getUTCDate() + 1);
    expect(lines.at(-1)).toBe(`${new Date().toISOString().slice(0, 10)},3,2,1,0,0,0`);
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    await page.getByRole('navigation', { name: 'Main' }).waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Print' }).waitFor({ state: 'hidden' });
    await page.getByRole('heading', { name: title }).waitFor();
    // Every column, on paper of 190 mm.
    await page.setViewportSize({ width: 718, height: 1_000 });
    const table = page.getByRole('table', { name: 'By day' });
    await table.getByRole('columnheader', { name: 'Undecided' }).waitFor();
    expect((await table.boundingBox())?.width).toBeLessThanOrEqual(718);
  });

  it('follow the filters, by keyboard only, and keep them in the URL', async () => {
    const { page } = await openConsole({ name: 'kim', role: 'staff:viewer' });
    await page.getByRole('link', { name: 'Reports' }).press('Enter');
    await page.getByRole('heading', { name: 'Reports' }).waitFor();
    await page.getByRole('button', { name: 'Period: Last 30 days' }).press('Enter');
    await page.getByRole('dialog', { name: 'Period' }).getByLabel('Last 90 days').press('Space');
    await page.keyboard.press('Escape');
    await page.getByRole('radio', { name: 'Production' }).press('ArrowLeft');
    await page.locator('.page-header').getByText('Sandbox').waitFor();
    const { name } = await staff.account().getAccount({ accountId: supplier.accountId });
    await page.getByRole('button', { name: 'Supplier ▾' }).press('Enter');
    await page.getByRole('dialog', { name: 'Supplier' }).getByLabel(name, { exact: true }).press('Space');
    await page.keyboard.press('Escape');
    await page.waitForURL((url) => url.searchParams.has('account'));
    expect(await rowsOf(page, INTAKE)).toHaveLength(90);
    const { searchParams } = new URL(page.url());
    expect(Object.fromEntries(searchParams)).toEqual({
      ...{ environment: String(Environment.SANDBOX), days: '90' },
      account: supplier.accountId,
    });
  });
});
