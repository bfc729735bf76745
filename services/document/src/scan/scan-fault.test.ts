import { forAllTests } from '@supplier/lib/testing';
import { ScanReason, ScanStatus } from '@supplier/proto/document/v1/document';
import { SAMPLE_FILES } from '../../testing/sample-files.ts';
import {
  CLEAN,
  documentOf,
  INFECTED,
  scanned,
  scanTests,
  waitingDocument,
} from '../../testing/test-scan-worker.ts';
import { openTestService } from '../../testing/test-service.ts';
import { relationships, textPart, xlsx } from '../../testing/zip-writer.ts';

jest.setTimeout(120_000);

const service = forAllTests(() => openTestService());
const { scanner, start } = scanTests(service);

const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const QUERY = xlsx(textPart('xl/_rels/workbook.xml.rels', relationships(['connections', 'connections.xml'])));
const FAULT = { scanRule: 'workbook-connection', scanPart: 'xl/_rels/workbook.xml.rels' };

async function refused(bytes = QUERY) {
  const id = await waitingDocument(service, { type: TYPE, bytes });
  start();
  await scanned(service, id);
  return id;
}

const listed = async (id: string, role: 'staff:viewer' | 'staff:operator', masked: boolean) => {
  const submissionId = (await documentOf(service, id)).submissionId ?? '';
  const request = { purpose: 'looked at by a test', submissionId, masked };
  return (await service.staff(role).listDocuments(request)).documents[0];
};

describe('reason of a failed scan', () => {
  it('tells staff the rule, the part and what to do, and viewers as well', async () => {
    const id = await refused();
    for (const [role, masked] of [
      ['staff:viewer', true],
      ['staff:operator', false],
    ] as const)
      expect(await listed(id, role, masked)).toMatchObject({
        scanStatus: ScanStatus.SCAN_FAILED,
        scanReason: ScanReason.CONTENT_MISMATCH,
        ...FAULT,
        scanProblem: 'The workbook loads data from a database, query or web page.',
        scanAdvice: 'Delete its queries and connections, and save the workbook again.',
      });
  });

  it('tells suppliers only that the scan failed', async () => {
    const supplier = service.supplier();
    const id = await waitingDocument(service, { type: TYPE, bytes: QUERY, supplier });
    start();
    const { externalReference } = await scanned(service, id);
    const { $typeName, ...answer } = await supplier.finalizeUpload(externalReference, id);
    expect(Object.keys(answer).sort()).toEqual(['category', 'documentId', 'scanStatus']);
    expect(answer.scanStatus).toBe(ScanStatus.SCAN_FAILED);
  });

  it('contains no name that the sender chose', async () => {
    const id = await refused(xlsx({ name: 'xl/media/Jane Smith 1980.exe', data: Buffer.from('MZ') }));
    expect(await documentOf(service, id)).toMatchObject({
      scanRule: 'workbook-unknown-part',
      scanPart: 'xl/media/*.exe',
    });
  });

  it('ends when the document is scanned again or deleted', async () => {
    const id = await waitingDocument(service, { type: TYPE, bytes: QUERY });
    const scans = start();
    expect(await scanned(service, id)).toMatchObject(FAULT);
    await scans.stop();
    await service.staff().rescanDocument({ documentId: id });
    expect(await documentOf(service, id)).toMatchObject({ scanRule: null, scanPart: null });
    const other = await refused();
    await service.staff().deleteDocument({ documentId: other });
    expect(await documentOf(service, other)).toMatchObject({
      scanReason: 'content_mismatch',
      scanRule: null,
      scanPart: null,
    });
    expect(await listed(other, 'staff:viewer', true)).toMatchObject({ scanRule: '', scanProblem: '' });
  });

  it.each([
    ['infected', INFECTED, QUERY],
    ['encrypted', { kind: 'encrypted' }, QUERY],
    ['over the limits', { kind: 'limits_exceeded' }, QUERY],
    ['clean', CLEAN, SAMPLE_FILES[TYPE]],
  ] as const)('is absent for a document that the scanner found %s', async (_what, verdict, bytes) => {
    scanner.verdict = () => verdict;
    expect(await documentOf(service, await refused(bytes))).toMatchObject({ scanRule: null, scanPart: null });
  });

  it('is shown without a sentence when the rule is of a later release', async () => {
    const id = await refused();
    await service.db.document.update({ where: { id }, data: { scanRule: 'picture-of-tomorrow' } });
    expect(await listed(id, 'staff:viewer', true)).toMatchObject({
      scanRule: 'picture-of-tomorrow',
      scanProblem: '',
      scanAdvice: '',
    });
  });
});
