import { RefusalCode } from '@supplier/lib/rpc/refusal';
import { forAllTests, refusalTo } from '@supplier/lib/testing';
import { newId } from '@supplier/lib/text/ids';
import { Environment } from '@supplier/proto/common/v1/status';
import { ScanReason, ScanStatus } from '@supplier/proto/document/v1/document';
import { openTestService, START } from '../../testing/test-service.ts';
import { type Download, StoreUnavailable } from '../object-store/object-store.ts';

const service = forAllTests(() => openTestService());
afterEach(() => service.restoreStore());

const WRONG_STATE = { code: RefusalCode.WRONG_STATE };
const NOT_FOUND = { code: RefusalCode.NOT_FOUND };

const rowOf = (id: string) => service.db.document.findUniqueOrThrow({ where: { id } });
const auditOf = (accountId: string) =>
  service.db.auditEntry.findMany({ where: { accountId }, orderBy: { sequence: 'asc' } });
const RESULTS = {
  clean: { scanStatus: 'clean', area: 'clean', scanDueAt: null, scannedAt: START },
  infected: {
    scanStatus: 'infected',
    scanReason: 'malware',
    signature: 'Test.File',
    scanDueAt: null,
    scannedAt: START,
  },
  scan_failed: { scanStatus: 'scan_failed', scanReason: 'encrypted', scanDueAt: null, scannedAt: START },
} as const;

/** A finalized document with a scan result, stored in the matching area. */
async function scanned(result: keyof typeof RESULTS) {
  const document = await service.finalized();
  const { heldKey: key, etag } = await rowOf(document.documentId);
  if (!key || !etag) throw new Error('finalized document without its object');
  if (result === 'clean') await service.store.copy({ area: 'held', key, etag }, { area: 'clean', key });
  await service.db.document.update({ where: { id: document.documentId }, data: RESULTS[result] });
  return { ...document, key };
}

describe('ListDocuments', () => {
  it('lists the documents of a submission, oldest first, with their filenames', async () => {
    const supplier = service.supplier(Environment.SANDBOX);
    const externalReference = newId<string>();
    const submissionId = service.submit(supplier, externalReference);
    const filenames = ['../../b.pdf', '\u202efdp.a', 'c'];
    const ids: string[] = [];
    for (const filename of filenames) {
      const { documentId } = await supplier.createUpload({ externalReference, filename });
      await service.upload(documentId);
      await supplier.finalizeUpload(externalReference, documentId);
      service.clock.advance(1);
      ids.push(documentId);
    }
    await service.db.document.update({ where: { id: ids[1] ?? '' }, data: RESULTS.infected });
    const { documents } = await service
      .staff('staff:operator')
      .listDocuments({ purpose: 'looked at by a test', submissionId });
    expect(documents.map(({ filename }) => filename)).toEqual(filenames);
    expect(documents[1]).toMatchObject({
      documentId: ids[1],
      accountId: supplier.accountId,
      environment: Environment.SANDBOX,
      externalReference,
      submissionId,
      byteSize: 1_024n,
      scanStatus: ScanStatus.INFECTED,
      scanReason: ScanReason.MALWARE,
      signature: 'Test.File',
    });
    expect(documents[0]).toMatchObject({ scanStatus: ScanStatus.PENDING_SCAN, signature: '' });
    expect(documents[0]?.deletedAt).toBeUndefined();
  });

  it('is audited with actor, action, documents and request id, without filenames', async () => {
    const { supplier, documentId } = await service.finalized();
    const submissionId = (await rowOf(documentId)).submissionId ?? '';
    await service
      .staff()
      .listDocuments(
        { purpose: 'looked at by a test', submissionId },
        { headers: { 'x-request-id': 'req-1' } },
      );
    const [line, ...more] = await auditOf(supplier.accountId);
    expect(more).toEqual([]);
    expect(line).toMatchObject({
      actor: 'jo',
      action: 'ListDocuments',
      after: { submissionId, documentIds: [documentId] },
    });
    expect(line?.requestId).not.toBe('');
    expect(JSON.stringify([line?.before, line?.after])).not.toContain('statement');
  });

  it('returns nothing for a submission without documents, and fails when it cannot be audited', async () => {
    expect(
      (await service.staff().listDocuments({ purpose: 'looked at by a test', submissionId: newId() }))
        .documents,
    ).toEqual([]);
    const { documentId } = await service.finalized();
    const submissionId = (await rowOf(documentId)).submissionId ?? '';
    await service.pool.query('ALTER TABLE audit_entry RENAME TO audit_entry_renamed');
    await expect(
      service.staff().listDocuments({ purpose: 'looked at by a test', submissionId }),
    ).rejects.toThrow();
    await service.pool.query('ALTER TABLE audit_entry_renamed RENAME TO audit_entry');
  });
});

describe('purpose of reading', () => {
  const purpose = 'the applicant asked which statements we have';

  it('is recorded in the audit log with the documents read, and whether they were masked', async () => {
    const { supplier, documentId } = await scanned('clean');
    const submissionId = (await rowOf(documentId)).submissionId ?? '';
    await service.staff('staff:privacy').listDocuments({ submissionId, purpose: ` ${purpose} ` });
    await service.staff('staff:viewer').listDocuments({ submissionId, purpose, masked: true });
    await service.staff('staff:privacy').downloadDocument({ documentId, purpose });
    expect(await auditOf(supplier.accountId)).toMatchObject([
      { action: 'ListDocuments', purpose, after: { masked: false } },
      { action: 'ListDocuments', purpose, after: { masked: true } },
      { action: 'DownloadDocument', target: submissionId, purpose },
    ]);
  });

  it('lets a viewer read documents without their filenames, and nothing else', async () => {
    const { documentId } = await service.finalized();
    const submissionId = (await rowOf(documentId)).submissionId ?? '';
    const viewer = service.staff('staff:viewer');
    const { documents } = await viewer.listDocuments({ submissionId, purpose, masked: true });
    expect(documents).toMatchObject([{ documentId, filename: '' }]);
    expect(await refusalTo(viewer.listDocuments({ submissionId, purpose }))).toMatchObject({
      code: RefusalCode.FORBIDDEN,
    });
  });
});

describe('DownloadDocument', () => {
  it('returns a five-minute URL for a clean document, and is audited', async () => {
    const { supplier, documentId, key } = await scanned('clean');
    const { url, expiresAt } = await service
      .staff('staff:operator')
      .downloadDocument({ purpose: 'looked at by a test', documentId });
    expect(url).toContain(key);
    expect(Number(expiresAt?.seconds) * 1_000).toBe(
      Math.floor((service.clock.now().getTime() + 300_000) / 1_000) * 1_000,
    );
    expect(await auditOf(supplier.accountId)).toMatchObject([
      { actor: 'jo', action: 'DownloadDocument', after: { documentId } },
    ]);
  });

  it('names the file after the document id and the scanned type, not after the filename', async () => {
    const { documentId } = await scanned('clean');
    const offered: Download[] = [];
    const { downloadUrl } = service.store;
    service.store.downloadUrl = (download) => {
      offered.push(download);
      return downloadUrl(download);
    };
    for (const [contentType, extension] of [
      ['application/pdf', 'pdf'],
      ['image/jpeg', 'jpg'],
      ['image/png', 'png'],
      ['text/csv', 'csv'],
      ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
    ] as const) {
      await service.db.document.update({ where: { id: documentId }, data: { contentType } });
      const { url } = await service.staff().downloadDocument({ purpose: 'looked at by a test', documentId });
      expect(decodeURIComponent(url)).not.toContain('statement');
      expect(offered.pop()).toMatchObject({ filename: `${documentId}.${extension}`, contentType });
    }
    service.restoreStore();
  });

  it('is refused for every document that is not clean, without an audit entry', async () => {
    const waiting = await service.finalized();
    const infected = await scanned('infected');
    const failed = await scanned('scan_failed');
    const rescanned = await scanned('clean');
    await service.staff().rescanDocument({ documentId: rescanned.documentId });
    const announced = await service.supplier().createUpload();
    for (const { documentId } of [waiting, infected, failed, rescanned, announced])
      expect(
        await refusalTo(service.staff().downloadDocument({ purpose: 'looked at by a test', documentId })),
      ).toMatchObject(WRONG_STATE);
    expect(await auditOf(infected.supplier.accountId)).toEqual([]);
    expect(
      await refusalTo(
        service.staff().downloadDocument({ purpose: 'looked at by a test', documentId: newId() }),
      ),
    ).toMatchObject(NOT_FOUND);
  });

  it('returns SERVICE_UNAVAILABLE while the store is unavailable', async () => {
    const { documentId } = await scanned('clean');
    service.store.downloadUrl = async () => {
      throw new StoreUnavailable('answer');
    };
    expect(
      await refusalTo(service.staff().downloadDocument({ purpose: 'looked at by a test', documentId })),
    ).toMatchObject({
      code: RefusalCode.SERVICE_UNAVAILABLE,
    });
  });
});

describe('RescanDocument', () => {
  it.each(['clean', 'infected', 'scan_failed'] as const)(
    'queues a %s document for a scan',
    async (result) => {
      const { supplier, documentId } = await scanned(result);
      service.clock.advance(1_000);
      expect(await service.staff('staff:operator').rescanDocument({ documentId })).toMatchObject({
        documentId,
        scanStatus: ScanStatus.PENDING_SCAN,
        scanReason: ScanReason.UNSPECIFIED,
        signature: '',
        // The filename can identify a person, and the request gave no purpose for reading it.
        filename: '',
      });
      expect((await rowOf(documentId)).scanDueAt).not.toBeNull();
      expect(await auditOf(supplier.accountId)).toMatchObject([
        { actor: 'jo', action: 'RescanDocument', after: { documentId } },
      ]);
    },
  );

  it('is refused while a scan is queued, before the document is finalized, and after it is deleted', async () => {
    const waiting = await service.finalized();
    const announced = await service.supplier().createUpload();
    const deleted = await scanned('clean');
    await service.staff().deleteDocument({ documentId: deleted.documentId });
    for (const { documentId } of [waiting, announced, deleted])
      expect(await refusalTo(service.staff().rescanDocument({ documentId }))).toMatchObject(WRONG_STATE);
    expect(await auditOf(waiting.supplier.accountId)).toEqual([]);
    expect(await refusalTo(service.staff().rescanDocument({ documentId: newId() }))).toMatchObject(NOT_FOUND);
  });

  it('succeeds for one of two concurrent calls', async () => {
    const { supplier, documentId } = await scanned('clean');
    const both = [1, 2].map(() => service.staff().rescanDocument({ documentId }));
    const outcomes = await Promise.allSettled(both);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await auditOf(supplier.accountId)).toHaveLength(1);
  });
});

describe('DeleteDocument', () => {
  it.each(['clean', 'infected'] as const)(
    'erases the filename, removes the bytes and releases the quota of a %s document, once',
    async (result) => {
      const { supplier, documentId, key } = await scanned(result);
      const gone = await service.staff().deleteDocument({ documentId });
      expect(gone).toMatchObject({ documentId, filename: '' });
      expect(gone.deletedAt).toBeDefined();
      const row = await rowOf(documentId);
      expect(row).toMatchObject({ state: 'deleted', deletedAt: service.clock.now(), version: 2n });
      expect(row.filename).toHaveLength(0);
      const { bytes } = await service.db.accountUsage.findFirstOrThrow({
        where: { accountId: supplier.accountId },
      });
      expect(bytes).toBe(0n);
      const where = { objectKey: { in: [row.objectKey, key] } };
      const removals = await service.db.objectRemoval.findMany({ where });
      expect(removals.map(({ area }) => area).sort()).toEqual([row.area, 'incoming'].sort());
      const now = removals.find(({ area }) => area === row.area);
      expect(now?.dueAt).toEqual(service.clock.now());
      expect(await service.eventsOf(documentId)).toEqual(['DocumentFinalized', 'DocumentDeleted']);

      service.clock.advance(60_000);
      expect(await service.staff().deleteDocument({ documentId })).toMatchObject({
        deletedAt: gone.deletedAt,
      });
      expect(await service.eventsOf(documentId)).toHaveLength(2);
      expect(await auditOf(supplier.accountId)).toMatchObject([
        { actor: 'jo', action: 'DeleteDocument', after: { documentId } },
      ]);
    },
  );

  it('takes effect once when called concurrently', async () => {
    const { supplier, documentId } = await service.finalized();
    await Promise.all([1, 2, 3, 4].map(() => service.staff().deleteDocument({ documentId })));
    expect(await auditOf(supplier.accountId)).toHaveLength(1);
    expect(await service.eventsOf(documentId)).toEqual(['DocumentFinalized', 'DocumentDeleted']);
  });

  it('deletes a document that is only reserved, and returns NOT_FOUND for an unknown one', async () => {
    const supplier = service.supplier();
    const { documentId } = await supplier.createUpload();
    expect(await service.staff().deleteDocument({ documentId })).toMatchObject({ submissionId: '' });
    expect(await refusalTo(service.staff().deleteDocument({ documentId: newId() }))).toMatchObject(NOT_FOUND);
  });
});
