import { readFileSync } from 'node:fs';
import { create, fromBinary } from '@bufbuild/protobuf';
import { AuditEntrySchema, ExportAuditRequestSchema } from '@supplier/proto/audit/v1/audit';
import { DecisionMode } from '@supplier/proto/common/v1/principal';
import { barriers } from '../harness/accessibility.ts';
import { newSupplier } from '../harness/accounts.ts';
import { describeInBrowser, type Page } from '../harness/browser.ts';
import { answerStream, askedOf, bytesOf } from '../harness/connect-streams.ts';
import { openConsole } from '../harness/console.ts';
import { act, dialog, press } from '../harness/console-parts.ts';
import { enquiry } from '../harness/enquiries.ts';
import { staff } from '../harness/rpc.ts';
import { created } from '../harness/suppliers.ts';

const inTheFile = (page: Page, count: number) =>
  page.getByText(`Saved ${count.toLocaleString('en-GB')} entr`);

const openByKeyboard = (page: Page) => async () => {
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
};

/** Returns the chain positions of the entries in an exported file, in file order. */
async function exported(page: Page): Promise<number[]> {
  const download = page.waitForEvent('download');
  await press(dialog(page), 'Save file');
  return readFileSync(await (await download).path(), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => Number((JSON.parse(line) as { position: string }).position));
}

describeInBrowser('the audit log in the console', () => {
  it('shows administrators who did what, filtered by the URL, and exports it as a file', async () => {
    const api = await newSupplier({ decisionMode: DecisionMode.STAFF });
    const { submission_id } = await created(api, enquiry());
    const { page } = await openConsole({
      name: 'arno',
      role: 'staff:admin',
      path: `/submissions/${submission_id}`,
    });
    await act(page, 'Place hold', 'claim 20');
    await page.getByText('Hold placed on 1 submission').waitFor();
    await act(page, 'Release hold', 'claim 20 is settled');
    await page.getByText('Hold released on 1 submission').waitFor();
    await page.getByRole('link', { name: 'View in audit log' }).click();
    const log = page.getByRole('table', { name: 'Audit log' });
    const purposes = () => log.locator('tbody tr td:nth-child(6)').allTextContents();
    await log.getByText('claim 20 is settled').waitFor();
    expect(await purposes()).toEqual(['claim 20 is settled', 'claim 20']);
    await page.getByRole('button', { name: 'Action ▾' }).click();
    await dialog(page).getByLabel('Placed a legal hold').check();
    await page.waitForURL(/action=.*HoldSubmissions/);
    await page.keyboard.press('Escape');
    await log.getByText('claim 20 is settled').waitFor({ state: 'detached' });
    await page.reload();
    await log.getByText('claim 20', { exact: true }).waitFor();
    expect(await purposes()).toEqual(['claim 20']);
    expect(await barriers(page)).toEqual([]);

    // A row opens by pointer and by keyboard, with everything that it records.
    for (const open of [() => log.getByText('claim 20', { exact: true }).click(), openByKeyboard(page)]) {
      await open();
      const entry = page.getByRole('dialog', { name: 'Entry: Placed a legal hold' });
      await entry.getByText('staff:admin').waitFor();
      expect(await barriers(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await entry.waitFor({ state: 'detached' });
    }

    // Behind an infinite list, the button would be unreachable.
    const [button, list] = await Promise.all([
      page.getByRole('button', { name: 'Export ▾' }).boundingBox(),
      log.boundingBox(),
    ]);
    expect(button?.y).toBeLessThan(list?.y ?? 0);
    await press(page.locator('main'), 'Export ▾');
    const places = await exported(page);
    expect(places.length).toBeGreaterThan(0);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    await inTheFile(page, places.length).waitFor();
  });

  it('answers who viewed an applicant’s details in two clicks, also while a service is down', async () => {
    const api = await newSupplier();
    const { submission_id: submissionId } = await created(api, enquiry());
    await staff.submission().readEnquiry({ submissionId, purpose: 'complaint 7' });
    await staff.privacy().holdSubmissions({ submissionIds: [submissionId], purpose: 'complaint 8' });
    const { page } = await openConsole({
      name: 'arno',
      role: 'staff:admin',
      path: `/submissions/${submissionId}`,
    });
    await page.route('**/rpc/billing/**/ListAudit', (route) => route.abort());
    await page.getByRole('link', { name: 'View in audit log' }).click();
    await page.getByRole('button', { name: 'Views of personal data' }).click();
    const row = page.getByRole('table', { name: 'Audit log' }).getByRole('row', { name: 'complaint 7' });
    await row.getByText('Viewed applicant details').waitFor();
    await page.getByText('complaint 8').waitFor({ state: 'detached' });
    await page.getByRole('alert').getByText('Entries of the billing service are missing').waitFor();
    expect(await barriers(page)).toEqual([]);
    await row.locator(`a[href^="/suppliers/${api.accountId}"]`).waitFor();
    await row.locator(`a[href^="/submissions/${submissionId}"]`).click();
    await page.getByRole('link', { name: 'View in audit log' }).waitFor();
  });

  it('exports the whole log as one file, although one call ends at its limit and another is cut off', async () => {
    const { page } = await openConsole({ name: 'arno', role: 'staff:admin', path: '/audit' });
    const asked: bigint[] = [];
    const answers = [100_000, 2, 1, 1, 0];
    let last = 0;
    await page.route('**/ExportAudit', async (route) => {
      const count = answers[asked.length] ?? 0;
      const entries = Array.from({ length: count }, () => {
        last += 1;
        return bytesOf(AuditEntrySchema, create(AuditEntrySchema, { position: BigInt(last) }));
      });
      asked.push(fromBinary(ExportAuditRequestSchema, askedOf(route)).afterPosition);
      const isWhole = count === 100_000 || asked.length === 3;
      await answerStream(route, entries, isWhole);
    });
    await press(page.locator('main'), 'Export ▾');
    const places = await exported(page);
    expect(places).toEqual(Array.from({ length: 100_003 }, (_, at) => at + 1));
    await inTheFile(page, 100_003).waitFor();
    expect(asked).toEqual([0n, 100_000n, 100_002n]);
    // A resumed stream without progress fails: no file without its end is written.
    await press(dialog(page), 'Save file');
    await page.getByRole('alert').getByText('Could not export').waitFor();
    expect(asked).toHaveLength(5);
  });
});
