import { randomBytes } from 'node:crypto';
import { RefusalCode, refusalOf } from '@supplier/lib/rpc/refusal';
import { newId, type SubmissionId } from '@supplier/lib/text/ids';
import { Environment } from '@supplier/proto/common/v1/status';
import { serviceForTests, type TestSupplier } from '../../testing/test-service.ts';
import { newObjectKey } from '../model/stored-object.ts';
import { type Area, StoreUnavailable } from '../object-store/object-store.ts';
import { recordScan, scheduleScanCopyRemoval } from '../scan/record-scan.sql.ts';
import { claimScan } from '../scan/scan-queue.sql.ts';
import { removeObjects } from './retention.ts';

const AREAS: readonly Area[] = ['incoming', 'held', 'clean'];

const service = serviceForTests();

const rowOf = (id: string) => service.db.document.findUniqueOrThrow({ where: { id } });
const keysLeft = async () => (await Promise.all(AREAS.map((area) => service.keysOf(area)))).flat();

/** A supplier, a reference and the id of its submission. */
function person(supplier = service.supplier(), reference = newId<string>()) {
  return { supplier, reference, submissionId: service.submit(supplier, reference) };
}

type Person = ReturnType<typeof person>;

async function erase({ supplier, reference, submissionId }: Person, environment = Environment.PRODUCTION) {
  const { documentsErased, objectsLeft } = await service.staff('service:submission').eraseDocuments({
    accountId: supplier.accountId,
    environment,
    externalReference: reference,
    submissionId,
  });
  return { erased: Number(documentsErased), left: Number(objectsLeft) };
}

async function reserved({ supplier, reference }: Person) {
  const { documentId } = await supplier.createUpload({ externalReference: reference });
  return documentId;
}

async function uploaded(of: Person) {
  const documentId = await reserved(of);
  await service.upload(documentId);
  return documentId;
}

async function finalized(of: Person) {
  const documentId = await uploaded(of);
  await of.supplier.finalizeUpload(of.reference, documentId);
  return documentId;
}

/** A finalized document with a clean or infected scan result. */
async function scanned(of: Person, status: 'clean' | 'infected') {
  const documentId = await finalized(of);
  const { heldKey: key, etag } = await rowOf(documentId);
  if (!key || !etag) throw new Error('finalized document without its object');
  const scannedAt = service.clock.now();
  const clean = { scanStatus: 'clean', area: 'clean', scanDueAt: null, scannedAt } as const;
  const infected = {
    scanStatus: 'infected',
    scanReason: 'malware',
    signature: 'Test.File',
    scanDueAt: null,
    scannedAt,
  } as const;
  if (status === 'clean') {
    await service.store.copy({ area: 'held', key, etag }, { area: 'clean', key });
    await service.store.remove('held', key);
  }
  await service.db.document.update({
    where: { id: documentId },
    data: status === 'clean' ? clean : infected,
  });
  return documentId;
}

async function claim() {
  const environments = ['sandbox', 'production'] as const;
  const scan = await claimScan(service.pool, {
    environments,
    after: undefined,
    except: [],
    leaseMs: 600_000,
  });
  if (!scan) throw new Error('nothing to scan');
  return scan;
}

describe('EraseDocuments', () => {
  it('erases filenames, digests and bytes of documents in every state before it responds', async () => {
    const of = person();
    const gone = await finalized(of);
    await service.staff().deleteDocument({ documentId: gone });
    const leased = await finalized(of);
    await claim();
    const ids = [
      gone,
      leased,
      await reserved(of),
      await uploaded(of),
      await finalized(of),
      await scanned(of, 'clean'),
      await scanned(of, 'infected'),
    ];
    expect(await keysLeft()).not.toEqual([]);

    expect(await erase(of)).toEqual({ erased: ids.length, left: 0 });
    expect(await keysLeft()).toEqual([]);
    for (const id of ids) {
      const { state, filename, etag, scanLeaseUntil, scanDueAt } = await rowOf(id);
      expect({ state, etag, scanLeaseUntil, scanDueAt }).toEqual({
        state: 'deleted',
        etag: null,
        scanLeaseUntil: null,
        scanDueAt: null,
      });
      expect(filename).toHaveLength(0);
      expect((await service.eventsOf(id)).filter((type) => type === 'DocumentDeleted')).toHaveLength(1);
    }
    const { bytes } = await service.db.accountUsage.findFirstOrThrow();
    expect(bytes).toBe(0n);
  });

  it('returns the same result when repeated and writes one audit entry per document', async () => {
    const of = person();
    await finalized(of);
    await reserved(of);
    expect(await erase(of)).toEqual({ erased: 2, left: 0 });
    expect(await erase(of)).toEqual({ erased: 2, left: 0 });
    const where = { accountId: of.supplier.accountId, action: 'EraseDocuments' };
    expect(await service.db.auditEntry.findMany({ where })).toHaveLength(2);
  });

  it('finds documents by submission as well, and none for a person without documents', async () => {
    const of = person();
    const documentId = await finalized(of);
    expect(await erase({ ...of, reference: newId<string>() })).toEqual({ erased: 1, left: 0 });
    expect((await rowOf(documentId)).state).toBe('deleted');
    expect(await erase(person())).toEqual({ erased: 0, left: 0 });
  });

  it('leaves documents of other references, environments and accounts unchanged', async () => {
    const of = person();
    await finalized(of);
    const others: [Person, TestSupplier][] = [person(of.supplier), person(undefined, of.reference)].map(
      (one) => [one, one.supplier],
    );
    const ids = await Promise.all(others.map(([one]) => finalized(one)));
    const submissionId = newId<SubmissionId>();
    expect(await erase({ ...of, submissionId }, Environment.SANDBOX)).toEqual({ erased: 0, left: 0 });
    expect(await erase(of)).toEqual({ erased: 1, left: 0 });
    for (const id of ids) expect((await rowOf(id)).state).toBe('finalized');
    expect((await service.keysOf('held')).length).toBe(2);
  });

  it('removes an object restored through a valid upload URL after that URL expires', async () => {
    const of = person();
    const documentId = await uploaded(of);
    expect(await erase(of)).toEqual({ erased: 1, left: 0 });
    await service.upload(documentId);
    expect(await service.keysOf('incoming')).toHaveLength(1);
    await removeObjects.run(service.context);
    expect(await service.keysOf('incoming')).toHaveLength(1);

    service.clock.set(new Date((await rowOf(documentId)).uploadExpiresAt.getTime() + 600_000));
    await removeObjects.run(service.context);
    expect(await keysLeft()).toEqual([]);
    expect(await service.db.objectRemoval.count()).toBe(0);
  });

  it('blocks uploads for the erased reference permanently, and for no other', async () => {
    const of = person();
    await erase(of);
    const upload = (externalReference: string, supplier = of.supplier) =>
      supplier.createUpload({ externalReference }).then(() => undefined, refusalOf);
    expect(await upload(of.reference)).toMatchObject({
      code: RefusalCode.VALIDATION_ERROR,
      violations: [{ path: 'external_reference', message: expect.stringContaining('erased') }],
    });
    expect(await upload(newId<string>())).toBeUndefined();
    expect(await upload(of.reference, service.supplier())).toBeUndefined();
  });

  it('deletes every document reserved concurrently', async () => {
    const of = person();
    const uploads = Array.from({ length: 15 }, () => reserved(of).catch(refusalOf));
    await Promise.all([...uploads, erase(of)]);
    const where = { externalReference: of.reference, state: { not: 'deleted' as const } };
    expect(await service.db.document.count({ where })).toBe(0);
  });

  it('counts objects whose removal is not confirmed as left, and continues when called again', async () => {
    const of = person();
    await finalized(of);
    await scanned(of, 'clean');
    service.store.remove = async () => {
      throw new StoreUnavailable('remove an object');
    };
    expect(await erase(of)).toEqual({ erased: 2, left: 4 });
    expect(await keysLeft()).not.toEqual([]);
    service.store.remove = async () => {
      throw new Error('bad object');
    };
    await expect(erase(of)).rejects.toThrow();
    service.restoreStore();
    expect(await erase(of)).toEqual({ erased: 2, left: 0 });
    expect(await keysLeft()).toEqual([]);
  });

  it('counts the copy of a concurrent finalize as left; that finalize returns NOT_FOUND and leaves no bytes', async () => {
    const of = person();
    const documentId = await uploaded(of);
    const { copy } = service.store;
    const meanwhile: unknown[] = [];
    service.store.copy = async (from, to) => {
      meanwhile.push(await erase(of));
      service.restoreStore();
      // The upload existed when the copy started.
      await service.upload(documentId, { bytes: randomBytes(1_024) });
      const etag = (await service.store.stat('incoming', from.key))?.etag ?? '';
      return copy({ ...from, etag }, to);
    };
    const refused = refusalOf(
      await of.supplier.finalizeUpload(of.reference, documentId).catch((error: unknown) => error),
    );
    expect(refused).toMatchObject({ code: RefusalCode.NOT_FOUND });
    expect(meanwhile).toEqual([{ erased: 1, left: 1 }]);
    expect(await service.keysOf('held')).toHaveLength(1);
    service.clock.advance(60_000);
    expect(await erase(of)).toEqual({ erased: 1, left: 0 });
    expect(await service.keysOf('held')).toEqual([]);
  });

  it('prevents a concurrent scan from copying or recording', async () => {
    const of = person();
    const documentId = await finalized(of);
    const scan = await claim();
    expect(await erase(of)).toEqual({ erased: 1, left: 0 });
    const at = service.clock.now();
    const copy = { area: 'clean', key: newObjectKey() } as const;
    expect(await scheduleScanCopyRemoval(service.pool, scan, copy, at)).toBe(false);
    const moved = { ...copy, etag: 'any' };
    expect(await recordScan(service.db, { scan, result: { status: 'clean' }, moved, at })).toBe(false);
    expect(await rowOf(documentId)).toMatchObject({
      state: 'deleted',
      scanStatus: 'pending_scan',
      etag: null,
    });
    expect(await service.keysOf('clean')).toEqual([]);
  });

  it('counts the copy of a concurrent scan as left', async () => {
    const of = person();
    await finalized(of);
    const scan = await claim();
    const copy = { area: 'clean', key: newObjectKey() } as const;
    expect(await scheduleScanCopyRemoval(service.pool, scan, copy, service.clock.now())).toBe(true);
    expect(await erase(of)).toEqual({ erased: 1, left: 1 });
    service.clock.advance(60_000);
    expect(await erase(of)).toEqual({ erased: 1, left: 0 });
  });
});
