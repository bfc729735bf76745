import { setTimeout as delay } from 'node:timers/promises';
import { eventually, forAllTests } from '@supplier/lib/testing';
import { Environment } from '@supplier/proto/common/v1/status';
import { ScanReason, ScanStatus } from '@supplier/proto/document/v1/document';
import { PROGRAM, SAMPLE_FILES, samplePdf } from '../../testing/sample-files.ts';
import {
  CLEAN,
  documentOf,
  holdScans,
  INFECTED,
  keyOf,
  removalsOf,
  scanned,
  scanTests,
  waitingDocument,
} from '../../testing/test-scan-worker.ts';
import { openTestService } from '../../testing/test-service.ts';
import { StoreUnavailable } from '../object-store/object-store.ts';
import { ScannerUnavailable } from './malware-scanner.ts';

jest.setTimeout(120_000);

const service = forAllTests(() => openTestService());
const { scanner, start, bytesIn } = scanTests(service);

describe('clean document', () => {
  it('moves to the clean store with exactly its bytes and one event', async () => {
    const id = await waitingDocument(service);
    const before = await documentOf(service, id);
    start();
    const after = await scanned(service, id);
    expect(after).toMatchObject({ scanStatus: 'clean', area: 'clean', scanReason: null, scanAttempt: 1 });
    expect(after.scannedAt).toEqual(service.clock.now());
    expect(await bytesIn('clean', after)).toEqual(SAMPLE_FILES['application/pdf']);
    expect(await removalsOf(service)).toEqual([`held ${keyOf(before)}`]);
    expect(await service.eventsOf(id)).toEqual(['DocumentFinalized', 'DocumentScanned']);
    expect(after.version).toBe(2n);
    const { url } = await service.staff().downloadDocument({ purpose: 'read by a test', documentId: id });
    expect(url).toContain(keyOf(after));
  });

  it('is scanned by only one of many scanners', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 6; count += 1) ids.push(await waitingDocument(service));
    for (let replica = 0; replica < 3; replica += 1) start();
    for (const id of ids)
      expect(await scanned(service, id)).toMatchObject({ scanStatus: 'clean', scanAttempt: 1 });
    expect(scanner.scans).toBe(6);
  });

  it('waits while two others are scanned', async () => {
    const hold = holdScans(scanner);
    for (let count = 0; count < 4; count += 1) await waitingDocument(service);
    const process = start();
    await eventually('two scans are under way', () => scanner.scans === 2);
    await process.polled();
    expect(scanner.scans).toBe(2);
    hold.release();
    await eventually('the others follow', () => scanner.scans === 4);
  });
});

describe('waiting document', () => {
  it('is scanned as soon as another scan ends, without a poll', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) ids.push(await waitingDocument(service));
    start({ bounds: { concurrency: 1, pollMs: 600_000 } });
    for (const id of ids) expect((await scanned(service, id)).scanStatus).toBe('clean');
  });
});

describe('document that is not clean', () => {
  it.each([
    ['infected', INFECTED, SAMPLE_FILES['application/pdf'], 'infected', 'malware', 'Played'],
    ['infected and of a different type', INFECTED, PROGRAM, 'infected', 'malware', 'Played'],
    ['of a different type', CLEAN, PROGRAM, 'scan_failed', 'content_mismatch', null],
    ['encrypted', { kind: 'encrypted' }, PROGRAM, 'scan_failed', 'encrypted', null],
    ['over the scan limits', { kind: 'limits_exceeded' }, PROGRAM, 'scan_failed', 'limits_exceeded', null],
  ] as const)(
    'stays in quarantine when it is %s',
    async (_what, verdict, bytes, status, reason, signature) => {
      const cleanBefore = await service.keysOf('clean');
      scanner.verdict = () => verdict;
      const id = await waitingDocument(service, { bytes });
      const before = await documentOf(service, id);
      start();
      const after = await scanned(service, id);
      expect(after).toMatchObject({ scanStatus: status, scanReason: reason, signature, area: 'held' });
      expect(after.heldKey).toBe(before.heldKey);
      expect(await service.keysOf('clean')).toEqual(cleanBefore);
      expect(await removalsOf(service)).toEqual([]);
      expect(await service.eventsOf(id)).toEqual(['DocumentFinalized', 'DocumentScanned']);
      await expect(
        service.staff().downloadDocument({ purpose: 'read by a test', documentId: id }),
      ).rejects.toThrow();
    },
  );

  it('becomes scan_failed when its bytes are missing or changed', async () => {
    const id = await waitingDocument(service);
    await service.store.remove('held', keyOf(await documentOf(service, id)));
    start();
    expect(await scanned(service, id)).toMatchObject({
      scanStatus: 'scan_failed',
      scanReason: 'object_changed',
    });
  });

  it('becomes scan_failed when its bytes change between scan and copy', async () => {
    const id = await waitingDocument(service);
    const key = keyOf(await documentOf(service, id));
    scanner.verdict = async () => {
      await service.store.remove('held', key);
      return CLEAN;
    };
    start();
    expect(await scanned(service, id)).toMatchObject({
      scanStatus: 'scan_failed',
      scanReason: 'object_changed',
    });
  });
});

describe('rescanned clean document', () => {
  it('returns to quarantine when a new scan finds malware', async () => {
    const id = await waitingDocument(service);
    start();
    const clean = await scanned(service, id);
    await service.db.objectRemoval.deleteMany();
    scanner.verdict = () => INFECTED;
    const queued = await service.staff().rescanDocument({ documentId: id });
    expect(queued.scanStatus).toBe(ScanStatus.PENDING_SCAN);
    const after = await scanned(service, id);
    expect(after).toMatchObject({ scanStatus: 'infected', area: 'held', scanAttempt: 2 });
    expect(await bytesIn('held', after)).toEqual(SAMPLE_FILES['application/pdf']);
    expect(await removalsOf(service)).toEqual([`clean ${keyOf(clean)}`]);
    await expect(
      service.staff().downloadDocument({ purpose: 'read by a test', documentId: id }),
    ).rejects.toThrow();
  });

  it('stays in place when a new scan finds nothing', async () => {
    const id = await waitingDocument(service);
    start();
    const clean = await scanned(service, id);
    await service.db.objectRemoval.deleteMany();
    await service.staff().rescanDocument({ documentId: id });
    expect(await scanned(service, id)).toMatchObject({
      scanStatus: 'clean',
      heldKey: clean.heldKey,
      area: 'clean',
    });
    expect(await removalsOf(service)).toEqual([]);
  });
});

describe('unavailable scanner', () => {
  it('leaves documents pending, is retried indefinitely, and is logged once', async () => {
    const id = await waitingDocument(service);
    scanner.verdict = () => {
      throw new ScannerUnavailable('connection lost');
    };
    const process = start();
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      await eventually('a scan fails', async () => {
        const { scanAttempt, scanDueAt } = await documentOf(service, id);
        return scanAttempt === attempt && scanDueAt !== null;
      });
      expect((await documentOf(service, id)).scanStatus).toBe('pending_scan');
      if (attempt < 4) await service.pass(60_000);
    }
    scanner.verdict = () => CLEAN;
    await service.pass(60_000);
    expect((await scanned(service, id)).scanStatus).toBe('clean');
    const paused = process.lines.filter(({ msg }) => msg === 'scanning paused');
    expect(paused.every(({ reason }) => reason === 'scanner unavailable: connection lost')).toBe(true);
  });
});

describe('unfit signatures', () => {
  it('leave documents pending', async () => {
    const id = await waitingDocument(service);
    scanner.signatureSet = () => ({ official: undefined });
    const process = start();
    await eventually('it is logged', () =>
      process.lines.some(({ reason }) => reason === 'no official signatures'),
    );
    await process.polled();
    expect(await documentOf(service, id)).toMatchObject({ scanStatus: 'pending_scan', scanAttempt: 0 });
    await service.staff().deleteDocument({ documentId: id });
  });

  it('are accepted for the sandbox where the operator allows them, and never for production', async () => {
    const production = await waitingDocument(service);
    const sandbox = await waitingDocument(service, { environment: Environment.SANDBOX });
    scanner.signatureSet = () => ({ official: undefined });
    start({ policy: { anySignatures: true } });
    expect((await scanned(service, sandbox)).scanStatus).toBe('clean');
    expect(await documentOf(service, production)).toMatchObject({
      scanStatus: 'pending_scan',
      scanAttempt: 0,
    });
    await service.staff().deleteDocument({ documentId: production });
  });
});

describe('unavailable store', () => {
  it('leaves documents pending, and they are scanned once it is available again', async () => {
    const id = await waitingDocument(service);
    const { read } = service.store;
    service.store.read = () => Promise.reject(new StoreUnavailable('read an object'));
    const process = start();
    await eventually(
      'it is released',
      async () => (await documentOf(service, id)).scanDueAt !== null && process.lines.length > 0,
    );
    expect(await documentOf(service, id)).toMatchObject({ scanStatus: 'pending_scan' });
    service.store.read = read;
    await service.pass(60_000);
    expect((await scanned(service, id)).scanStatus).toBe('clean');
    await eventually('it is logged', () => process.lines.some(({ msg }) => msg === 'object store available'));
  });
});

describe('scan log', () => {
  it('contains the duration of the scan, measured by the injected clock', async () => {
    const startedAt = performance.now();
    let verdictMs = Number.NaN;
    scanner.verdict = async () => {
      const askedAt = performance.now();
      await delay(250);
      verdictMs = performance.now() - askedAt;
      return CLEAN;
    };
    await waitingDocument(service);
    const process = start();
    const line = await eventually('it is logged', () =>
      process.lines.find(({ msg }) => msg === 'document scanned'),
    );
    expect(line.duration_ms).toBeGreaterThanOrEqual(Math.floor(verdictMs));
    expect(line.duration_ms).toBeLessThanOrEqual(Math.ceil(performance.now() - startedAt));
  });

  it('contains neither the document id nor the filename', async () => {
    const id = await waitingDocument(service, { bytes: samplePdf(Buffer.from('Ada Sample')) });
    scanner.verdict = () => INFECTED;
    const process = start();
    await scanned(service, id);
    await eventually('it is logged', () => process.lines.some(({ msg }) => msg === 'document scanned'));
    expect(JSON.stringify(process.lines)).not.toMatch(/statement\.pdf|Ada Sample/);
    const record = await service.staff().listDocuments({
      purpose: 'read by a test',
      submissionId: (await documentOf(service, id)).submissionId ?? '',
    });
    expect(record.documents[0]).toMatchObject({
      scanStatus: ScanStatus.INFECTED,
      scanReason: ScanReason.MALWARE,
      signature: 'Played',
      scanAttempts: 1,
    });
  });
});
