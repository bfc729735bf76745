import { ScanStatus } from '@supplier/proto/document/v1/document';
import { everythingReady, kill, restarted, whileDown } from '../harness/processes.ts';
import { downloaded, pdf, recordOf, scanStatus, sent } from '../harness/scans.ts';
import { serializeFiles } from '../harness/serialize-files.ts';
import { readStack } from '../harness/stack.ts';
import { supplier } from '../harness/suppliers.ts';

serializeFiles('documents');

const alpha = supplier('alpha');

beforeEach(everythingReady);

describe('a scanner that stays away', () => {
  // On a machine without clamd, the receiver's process scans.
  it.each([readStack().pids.clamd === undefined ? 'receiver' : 'clamd', 'scanner'])(
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

describe('a scanner that is killed', () => {
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
