import { eventually, forAllTests } from '@supplier/lib/testing';
import { SAMPLE_FILES } from '../../testing/sample-files.ts';
import {
  CLEAN,
  documentOf,
  holdScans,
  INFECTED,
  keyOf,
  playedScanner,
  removalsOf,
  scanned,
  scanTests,
  waitingDocument,
} from '../../testing/test-scan-worker.ts';
import { openTestService } from '../../testing/test-service.ts';
import { removeObjects } from '../erase/retention.ts';
import { StoreUnavailable } from '../object-store/object-store.ts';
import { claimRemovals } from '../store/object-removal.sql.ts';

jest.setTimeout(120_000);

const LEASE_MS = 600_000;

const service = forAllTests(() => openTestService());
const { scanner, start, bytesIn } = scanTests(service);

describe('scan whose scanner is lost', () => {
  it('is repeated by another scanner after its lease, and a late first result changes and leaves nothing', async () => {
    const id = await waitingDocument(service);
    const before = await service.keysOf('clean');
    const first = playedScanner(service);
    const hold = holdScans(first, CLEAN);
    const firstProcess = start({ bounds: { concurrency: 1 } }, first);
    await eventually('the first has the scan', () => first.scans === 1);
    scanner.verdict = () => INFECTED;
    // Leases use the database's clock, so another process's clock cannot end one.
    await start({ clock: { now: () => new Date(service.clock.now().getTime() + 24 * 3_600_000) } }).polled();
    expect(scanner.scans).toBe(0);
    await service.pass(LEASE_MS);
    const after = await scanned(service, id);
    expect(after).toMatchObject({ scanStatus: 'infected', scanAttempt: 2 });

    hold.release();
    await eventually('the first ends', () =>
      firstProcess.lines.some(({ msg }) => msg === 'scan result discarded'),
    );
    expect(await documentOf(service, id)).toEqual(after);
    expect(await service.eventsOf(id)).toEqual(['DocumentFinalized', 'DocumentScanned']);
    // The late scan does not even start a copy.
    expect(await service.keysOf('clean')).toEqual(before);
    expect(await service.db.objectRemoval.count({ where: { area: 'clean' } })).toBe(0);
  });

  it('is repeated without leaving an orphaned copy when it crashes between copy and commit', async () => {
    const id = await waitingDocument(service);
    const { store } = service;
    const copy = store.copy;
    let copies = 0;
    store.copy = async (from, to) => {
      const etag = await copy(from, to);
      copies += 1;
      if (copies === 1) throw new StoreUnavailable('copy an object');
      return etag;
    };
    start();
    await eventually(
      'it is released',
      async () => (await documentOf(service, id)).scanDueAt !== null && copies === 1,
    );
    const [lost] = await service.db.objectRemoval.findMany({ where: { area: 'clean' } });
    expect(await service.keysOf('clean')).toContain(lost?.objectKey);
    await service.pass(1_000);
    const after = await scanned(service, id);
    expect(after.heldKey).not.toBe(lost?.objectKey);
    expect(await removalsOf(service)).toContain(`clean ${lost?.objectKey}`);
    expect(await removalsOf(service)).not.toContain(`clean ${after.heldKey}`);
  });

  it('is released immediately by a scanner that stops', async () => {
    const id = await waitingDocument(service);
    holdScans(scanner);
    const process = start();
    await eventually('it is scanned', () => scanner.scans === 1);
    await process.stop();
    expect(await documentOf(service, id)).toMatchObject({
      scanStatus: 'pending_scan',
      scanLeaseUntil: null,
      scanDueAt: expect.any(Date),
    });
    await service.staff().deleteDocument({ documentId: id });
  });
});

describe('copy removed before its result is recorded', () => {
  /** A process whose clock is a day ahead. */
  const ahead = { now: () => new Date(Date.now() + 24 * 3_600_000) };

  it.each([
    ['is gone', async () => void (await removeObjects.run({ ...service.context, clock: ahead }))],
    [
      'is being removed',
      async () => {
        const now = ahead.now();
        await claimRemovals(service.pool, { now, until: new Date(now.getTime() + 60_000), limit: 50 });
      },
    ],
  ])("is never the document's only object when it %s", async (_what, remove) => {
    const id = await waitingDocument(service);
    const before = await documentOf(service, id);
    await service.db.objectRemoval.deleteMany();
    const { copy } = service.store;
    service.store.copy = async (from, to) => {
      const etag = await copy(from, to);
      await remove();
      return etag;
    };
    const process = start();
    await eventually('the scan ends', () =>
      process.lines.some(({ msg }) => msg === 'scan result discarded' || msg === 'document scanned'),
    );
    expect(await documentOf(service, id)).toMatchObject({
      scanStatus: 'pending_scan',
      area: 'held',
      heldKey: before.heldKey,
    });
    expect(await removalsOf(service)).not.toContain(`held ${keyOf(before)}`);
    expect(await service.eventsOf(id)).toEqual(['DocumentFinalized']);

    service.restoreStore();
    await service.pass(LEASE_MS);
    const after = await scanned(service, id);
    expect(await bytesIn('clean', after)).toEqual(SAMPLE_FILES['application/pdf']);
  });
});

describe('document deleted during its scan', () => {
  it('is neither promoted nor copied', async () => {
    const id = await waitingDocument(service);
    const before = await service.keysOf('clean');
    const hold = holdScans(scanner);
    const process = start();
    await eventually('it is scanned', () => scanner.scans === 1);
    await service.staff().deleteDocument({ documentId: id });
    const deleted = await documentOf(service, id);
    hold.release();
    await eventually('the scan ends', () => process.lines.some(({ msg }) => msg === 'scan result discarded'));
    expect(await documentOf(service, id)).toEqual(deleted);
    expect(await service.eventsOf(id)).toEqual(['DocumentFinalized', 'DocumentDeleted']);
    expect(await service.keysOf('clean')).toEqual(before);
  });

  it('is not promoted when deleted during the copy, which is removed', async () => {
    const id = await waitingDocument(service);
    const { copy } = service.store;
    service.store.copy = async (from, to) => {
      const etag = await copy(from, to);
      await service.staff().deleteDocument({ documentId: id });
      return etag;
    };
    const process = start();
    await eventually('the scan ends', () => process.lines.some(({ msg }) => msg === 'scan result discarded'));
    expect(await service.eventsOf(id)).toEqual(['DocumentFinalized', 'DocumentDeleted']);
    const due = await service.db.objectRemoval.findMany({
      where: { area: 'clean', dueAt: { lte: service.clock.now() } },
    });
    expect(await service.keysOf('clean')).toContain(due[0]?.objectKey);
  });
});
