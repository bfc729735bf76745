import { newId } from '@supplier/lib/text/ids';
import { documentOf, waitingDocument } from '../../testing/test-scan-worker.ts';
import { serviceForTests } from '../../testing/test-service.ts';
import type { ScanResult } from '../model/scan-result.ts';
import { recordScan, type ScanCopy, scheduleScanCopyRemoval } from './record-scan.sql.ts';
import { type ClaimedScan, type ClaimRequest, claimScan } from './scan-queue.sql.ts';

const LEASE_MS = 600_000;
const REQUEST: ClaimRequest = {
  environments: ['production'],
  after: undefined,
  except: [],
  leaseMs: LEASE_MS,
};

const service = serviceForTests();

async function claimed(): Promise<ClaimedScan> {
  await waitingDocument(service);
  const scan = await claimScan(service.pool, REQUEST);
  if (!scan) throw new Error('no scan to claim');
  return scan;
}

const CHANGED: ScanResult = { status: 'scan_failed', reason: 'object_changed' };
const INFECTED: ScanResult = { status: 'infected', signature: 'Test.File' };

/** Records a result, with the bytes left in place or copied to the clean area first. */
const RECORDS = {
  'that is infected': (scan: ClaimedScan) => record(scan, INFECTED),
  'of bytes that changed': (scan: ClaimedScan) => record(scan, CHANGED),
  'that is clean': async (scan: ClaimedScan) => record(scan, { status: 'clean' }, await copied(scan)),
} as const;

const record = (scan: ClaimedScan, result: ScanResult, moved?: ScanCopy & { etag: string }) =>
  recordScan(service.db, { scan, result, moved, at: service.clock.now() });

/** Copies announced while the claim was held. */
const copies = new Map<string, ScanCopy & { etag: string }>();
async function announced(scan: ClaimedScan) {
  const copy = { area: 'clean', key: newId<string>(), etag: 'etag-of-the-copy' } as const;
  expect(await scheduleScanCopyRemoval(service.pool, scan, copy, service.clock.now())).toBe(true);
  copies.set(scan.documentId, copy);
}
async function copied({ documentId }: ClaimedScan) {
  const copy = copies.get(documentId);
  if (!copy) throw new Error('no copy was announced');
  return copy;
}

describe.each(Object.entries(RECORDS))('scan result %s', (_what, recordResult) => {
  it('is recorded once within its lease', async () => {
    const scan = await claimed();
    await announced(scan);
    await service.pass(LEASE_MS - 60_000);
    expect(await recordResult(scan)).toBe(true);
    const after = await documentOf(service, scan.documentId);
    expect(after.scanLeaseUntil).toBeNull();
    expect(await recordResult(scan)).toBe(false);
    expect(await documentOf(service, scan.documentId)).toEqual(after);
  });

  it.each<[string, (scan: ClaimedScan) => Promise<unknown>]>([
    ['its lease has ended and it was not claimed again', () => service.pass(LEASE_MS)],
    [
      'its lease has ended and another scanner has claimed it',
      async () => {
        await service.pass(LEASE_MS);
        expect(await claimScan(service.pool, REQUEST)).toMatchObject({ attempt: 2 });
      },
    ],
    ['the document is deleted', ({ documentId }) => service.staff().deleteDocument({ documentId })],
  ])('changes nothing when %s', async (_when, happen) => {
    const scan = await claimed();
    await announced(scan);
    await happen(scan);
    const before = await documentOf(service, scan.documentId);
    const removals = await service.db.objectRemoval.findMany();
    const events = await service.eventsOf(scan.documentId);
    expect(await recordResult(scan)).toBe(false);
    expect(await documentOf(service, scan.documentId)).toEqual(before);
    expect(await service.db.objectRemoval.findMany()).toEqual(removals);
    expect(await service.eventsOf(scan.documentId)).toEqual(events);
  });
});
