import { ScanStatus } from '@supplier/proto/document/v1/document';
import { everythingReady, kill, restarted, whileDown } from '../harness/processes.ts';
import { describeWhereScanned, downloaded, pdf, recordOf, scanStatus, sent } from '../harness/scans.ts';
import { serializeFiles } from '../harness/serialize-files.ts';
import { supplier } from '../harness/suppliers.ts';

serializeFiles('documents');

const alpha = supplier('alpha');

beforeEach(everythingReady);

describeWhereScanned('a scanner that stays away', () => {
  it.each(['clamd', 'scanner'])(
    '%s: documents are accepted and wait, and are scanned when it is back',
    async (name) => {
      await whileDown(name, async (down) => {
        const document = await sent(alpha, pdf());
        expect((await recordOf(document)).scanStatus).toBe(ScanStatus.PENDING_SCAN);
        await down.bringBack();
        expect(await scanStatus(alpha, document)).toBe('clean');
        expect((await downloaded(document)).equals(pdf())).toBe(true);
      });
    },
    120_000,
  );
});

describeWhereScanned('a scanner that is killed', () => {
  it('loses no document, and reports none as clean that is not complete in the clean store', async () => {
    const sending = Array.from({ length: 6 }, (_, index) => sent(alpha, pdf(Buffer.alloc(200_000, index))));
    const pid = await kill('scanner');
    const documents = await Promise.all(sending);
    await restarted('scanner', pid);
    for (const [index, document] of documents.entries()) {
      expect(await scanStatus(alpha, document)).toBe('clean');
      expect((await downloaded(document)).equals(pdf(Buffer.alloc(200_000, index)))).toBe(true);
    }
  }, 120_000);
});
