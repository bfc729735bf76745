import { readFileSync } from 'node:fs';
import { newSupplier } from '../harness/accounts.ts';
import { staffActs } from '../harness/audit.ts';
import { type Download, describeInBrowser } from '../harness/browser.ts';
import { openConsole } from '../harness/console.ts';
import { act, dialog, part, press } from '../harness/console-parts.ts';
import { formsOf } from '../harness/encoded-forms.ts';
import { traces } from '../harness/page-traces.ts';
import { pdf, scanStatus, sent } from '../harness/scans.ts';

describeInBrowser('documents in the console', () => {
  describe('found clean', () => {
    it('are downloaded for a purpose through a link that is not kept, rescanned and deleted', async () => {
      const api = await newSupplier();
      const file = await sent(api, pdf());
      expect(await scanStatus(api, file)).toBe('clean');
      const path = `/submissions/${file.submissionId}`;
      const { page } = await openConsole({ name: 'dan', role: 'staff:admin', path });
      const left = traces(page);
      const files = part(page, 'Documents');
      await files.getByText('Clean', { exact: true }).waitFor();
      await files.getByLabel('Purpose').fill('file 46');
      const slow = Promise.withResolvers<void>();
      await page.route('**/DownloadDocument', async (route) => {
        await slow.promise;
        await route.continue();
      });
      await press(files, `Download ${file.documentId}`);
      await files.getByText('Loading…').waitFor();
      slow.resolve();
      const link = files.getByRole('link', { name: `Save ${file.documentId}` });
      const { searchParams } = new URL((await link.getAttribute('href')) ?? '');
      const [signature = ''] = [...searchParams.values()].toSorted((one, other) => other.length - one.length);
      const forms = formsOf([signature]);
      expect(await left.holding(forms)).toEqual(['answers', 'page']);
      const download = new Promise<Download>((resolve) => {
        page.context().once('download', resolve);
      });
      await link.click();
      expect(readFileSync(await (await download).path())).toEqual(pdf());
      expect(await staffActs('document', file.submissionId, 'file 46')).toEqual(['dan DownloadDocument']);
      await press(files, 'Hide');
      expect(await left.holding(forms)).toEqual(['answers']);

      await act(page, 'Scan again');
      await dialog(page).waitFor({ state: 'detached' });
      expect(await scanStatus(api, file)).toBe('clean');
      await act(page, 'Delete');
      await files.getByText('Deleted', { exact: true }).waitFor();
      expect(await files.getByRole('button', { name: 'Delete' }).count()).toBe(0);
    });
  });

  describe('refused by the content check', () => {
    it('show viewers the rule, the place and what to tell the supplier', async () => {
      const api = await newSupplier();
      const file = await sent(api, Buffer.from("a,b\n1,=cmd|' /C calc'!A0\n"), 'text/csv');
      expect(await scanStatus(api, file)).toBe('scan_failed');
      const path = `/submissions/${file.submissionId}`;
      const { page } = await openConsole({ name: 'vera', role: 'staff:viewer', path });
      const files = part(page, 'Documents');
      const fault = files.getByRole('list', { name: 'Why scans failed' });
      await fault.getByText('csv-dde · line 2', { exact: true }).waitFor();
      expect(await fault.textContent()).toContain(
        'A cell contains a formula that starts a program (DDE). Remove',
      );
    });
  });
});
