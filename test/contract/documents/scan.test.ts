import { randomBytes } from 'node:crypto';
import { RefusalCode } from '@supplier/proto/common/v1/refusal';
import { ScanReason, ScanStatus } from '@supplier/proto/document/v1/document';
import { refusalCodeOf, rpcErrorOf, staff } from '../../harness/rpc.ts';
import { downloaded, EICAR, pdf, recordOf, scanStatus, sent } from '../../harness/scans.ts';
import { supplier } from '../../harness/suppliers.ts';

const alpha = supplier('alpha');

describe('the scan of a document', () => {
  it('releases a clean document from quarantine to staff, byte for byte', async () => {
    const bytes = pdf(randomBytes(200_000));
    const document = await sent(alpha, bytes);
    expect(await scanStatus(alpha, document)).toBe('clean');
    expect((await downloaded(document)).equals(bytes)).toBe(true);
    expect(await recordOf(document)).toMatchObject({
      scanStatus: ScanStatus.CLEAN,
      scanReason: ScanReason.UNSPECIFIED,
      signature: '',
      scanAttempts: 1,
    });
  });

  it.each([
    ['that holds the EICAR test file', pdf(EICAR), 'application/pdf', 'infected', ScanReason.MALWARE],
    ['that is the EICAR test file', EICAR, 'text/csv', 'infected', ScanReason.MALWARE],
    [
      'that is a program',
      Buffer.concat([Buffer.from('MZ'), Buffer.alloc(500)]),
      'application/pdf',
      'scan_failed',
      ScanReason.CONTENT_MISMATCH,
    ],
    ['that is HTML', Buffer.from('<html>1,2</html>'), 'text/csv', 'scan_failed', ScanReason.CONTENT_MISMATCH],
  ])('keeps a document %s in quarantine', async (_what, bytes, type, status, reason) => {
    const document = await sent(alpha, bytes, type);
    expect(await scanStatus(alpha, document)).toBe(status);
    const record = await recordOf(document);
    expect(record.scanReason).toBe(reason);
    expect(record.signature.startsWith('Eicar')).toBe(status === 'infected');
    const refused = await rpcErrorOf(
      staff.document().downloadDocument({ purpose: 'read by a test', documentId: document.documentId }),
    );
    expect(refusalCodeOf(refused)).toBe(RefusalCode.WRONG_STATE);
  });

  it('does not run in production without official signatures', async () => {
    const live = supplier('alpha', 'production');
    const document = await sent(live, pdf());
    // A document finalized later has been scanned by now.
    await scanStatus(alpha, await sent(alpha, pdf()));
    expect(await recordOf(document)).toMatchObject({ scanStatus: ScanStatus.PENDING_SCAN, scanAttempts: 0 });
  });
});
