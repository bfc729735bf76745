import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { RefusalCode } from '@supplier/lib/rpc/refusal';
import { forAllTests, refusalTo } from '@supplier/lib/testing';
import { newId } from '@supplier/lib/text/ids';
import { Environment } from '@supplier/proto/common/v1/status';
import { DocumentCategory, ScanStatus } from '@supplier/proto/document/v1/document';
import { openTestService, type TestSupplier } from '../../testing/test-service.ts';
import { removeObjects } from '../erase/retention.ts';
import { ObjectChanged, StoreUnavailable } from '../object-store/object-store.ts';

const HOUR_MS = 3_600_000;

const service = forAllTests(() => openTestService());
afterEach(() => {
  service.restoreStore();
  service.submissions.unavailable = false;
});

const NOT_FOUND = { code: RefusalCode.NOT_FOUND };
const AWAY = { code: RefusalCode.SERVICE_UNAVAILABLE };
const BAD_DOCUMENT = { code: RefusalCode.VALIDATION_ERROR, violations: [{ path: 'document_id' }] };

const rowOf = (id: string) => service.db.document.findUniqueOrThrow({ where: { id } });
const removalsOf = (objectKey: string) =>
  service.db.objectRemoval.findMany({ where: { objectKey }, select: { area: true, dueAt: true } });

interface Requested {
  readonly supplier: TestSupplier;
  readonly reference: string;
  readonly documentId: string;
  finalize(): ReturnType<TestSupplier['finalizeUpload']>;
}

/** A reserved document of an existing submission, with or without its upload. */
async function requestUpload({ uploaded = true, supplier = service.supplier() } = {}): Promise<Requested> {
  const reference = newId<string>();
  service.submit(supplier, reference);
  const { documentId } = await supplier.createUpload({ externalReference: reference });
  if (uploaded) await service.upload(documentId);
  return {
    supplier,
    reference,
    documentId,
    finalize: () => supplier.finalizeUpload(reference, documentId),
  };
}

/** Asserts that a finalize changed nothing. */
async function expectAwaiting(documentId: string): Promise<void> {
  expect(await rowOf(documentId)).toMatchObject({
    state: 'awaiting_upload',
    submissionId: null,
    heldKey: null,
  });
  expect(await service.eventsOf(documentId)).toEqual([]);
}

describe('FinalizeUpload', () => {
  it("attaches the document to its submission, copies it out of the supplier's reach and queues its scan", async () => {
    const supplier = service.supplier();
    const reference = newId<string>();
    const submissionId = service.submit(supplier, reference);
    const { documentId } = await supplier.createUpload({
      externalReference: reference,
      category: DocumentCategory.ID,
    });
    await service.upload(documentId);
    service.clock.advance(1_000);
    expect(await supplier.finalizeUpload(reference, documentId)).toMatchObject({
      documentId,
      category: DocumentCategory.ID,
      scanStatus: ScanStatus.PENDING_SCAN,
    });
    const at = service.clock.now();
    const row = await rowOf(documentId);
    expect(row).toMatchObject({
      state: 'finalized',
      submissionId,
      finalizedAt: at,
      area: 'held',
      scanStatus: 'pending_scan',
      scanDueAt: expect.any(Date),
      scanAttempt: 0,
      version: 1n,
    });
    expect(row.heldKey).not.toBe(row.objectKey);
    expect(await service.keysOf('held')).toContain(row.heldKey);
    expect((await service.store.stat('held', row.heldKey ?? ''))?.etag).toBe(row.etag);
    expect(await service.eventsOf(documentId)).toEqual(['DocumentFinalized']);
    // The upload is removed after its URL has expired and no transfer can be active.
    const [removal] = await removalsOf(row.objectKey);
    expect(removal).toMatchObject({ area: 'incoming' });
    expect(removal?.dueAt.getTime()).toBeGreaterThan(row.uploadExpiresAt.getTime());
  });

  it('works after the upload URL has expired, and until just before 24 hours have passed', async () => {
    const { documentId, finalize } = await requestUpload();
    service.clock.set(new Date((await rowOf(documentId)).createdAt.getTime() + 24 * HOUR_MS - 1));
    expect(await finalize()).toMatchObject({ documentId });
  });

  it('returns NOT_FOUND at exactly 24 hours, before any sweep', async () => {
    const { documentId, finalize } = await requestUpload();
    service.clock.set(new Date((await rowOf(documentId)).createdAt.getTime() + 24 * HOUR_MS));
    expect(await refusalTo(finalize())).toMatchObject(NOT_FOUND);
    await expectAwaiting(documentId);
  });

  it('returns NOT_FOUND after 24 hours, too, when its upload never arrived', async () => {
    const { documentId, finalize } = await requestUpload({ uploaded: false });
    service.clock.set(new Date((await rowOf(documentId)).createdAt.getTime() + 24 * HOUR_MS));
    expect(await refusalTo(finalize())).toMatchObject(NOT_FOUND);
  });

  it('returns NOT_FOUND and removes the copy when 24 hours pass during the copy', async () => {
    const { documentId, finalize } = await requestUpload();
    service.clock.set(new Date((await rowOf(documentId)).createdAt.getTime() + 24 * HOUR_MS - 1));
    const { copy } = service.store;
    let held = '';
    service.store.copy = async (from, to) => {
      held = to.key;
      service.clock.advance(1);
      return copy(from, to);
    };
    expect(await refusalTo(finalize())).toMatchObject(NOT_FOUND);
    await expectAwaiting(documentId);
    expect(await removalsOf(held)).toMatchObject([{ area: 'held' }]);
  });

  it('succeeds after the submission is created when it was called too early', async () => {
    const supplier = service.supplier();
    const reference = newId<string>();
    const { documentId } = await supplier.createUpload({ externalReference: reference });
    await service.upload(documentId);
    expect(await refusalTo(supplier.finalizeUpload(reference, documentId))).toMatchObject(NOT_FOUND);
    await expectAwaiting(documentId);
    service.submit(supplier, reference);
    expect(await supplier.finalizeUpload(reference, documentId)).toMatchObject({ documentId });
  });
});

describe('repeated FinalizeUpload', () => {
  it('returns the scan status and changes nothing, even while the store and the submission service are unavailable', async () => {
    const { documentId, finalize } = await requestUpload();
    await finalize();
    const data = { scanStatus: 'clean', area: 'clean', scanDueAt: null } as const;
    await service.db.document.update({ where: { id: documentId }, data });
    const before = await rowOf(documentId);
    service.submissions.unavailable = true;
    service.store.stat = service.store.copy = async () => {
      throw new StoreUnavailable('answer');
    };
    expect(await finalize()).toMatchObject({ documentId, scanStatus: ScanStatus.CLEAN });
    expect(await rowOf(documentId)).toEqual(before);
    expect(await service.eventsOf(documentId)).toEqual(['DocumentFinalized']);
  });

  it('creates one event and one held object when called concurrently, and removes every other copy', async () => {
    const { documentId, finalize } = await requestUpload();
    const before = new Set(await service.keysOf('held'));
    const answers = await Promise.all(Array.from({ length: 8 }, finalize));
    for (const answer of answers) expect(answer.scanStatus).toBe(ScanStatus.PENDING_SCAN);
    expect(await service.eventsOf(documentId)).toEqual(['DocumentFinalized']);
    const { heldKey } = await rowOf(documentId);
    const copies = (await service.keysOf('held')).filter((key) => !before.has(key));
    expect(copies).toContain(heldKey);
    for (const key of copies)
      expect(await removalsOf(key)).toMatchObject(key === heldKey ? [] : [{ area: 'held' }]);
  });

  it('is not affected by later uploads', async () => {
    const { documentId, finalize } = await requestUpload();
    await finalize();
    const { heldKey, etag } = await rowOf(documentId);
    await service.upload(documentId, { bytes: Buffer.alloc(1_024, 'evil') });
    await finalize();
    expect(await rowOf(documentId)).toMatchObject({ heldKey, etag });
    expect((await service.store.stat('held', heldKey ?? ''))?.etag).toBe(etag);
  });

  it('returns NOT_FOUND once the document is deleted', async () => {
    const { documentId, finalize } = await requestUpload();
    await finalize();
    await service.staff().deleteDocument({ documentId });
    expect(await refusalTo(finalize())).toMatchObject(NOT_FOUND);
  });
});

describe('FinalizeUpload returning NOT_FOUND', () => {
  it("gives the same answer for an unknown document, another supplier's, and one of another reference", async () => {
    const { supplier, reference, documentId, finalize } = await requestUpload();
    const other = service.supplier();
    service.submit(other, reference);
    const otherReference = newId<string>();
    service.submit(supplier, otherReference);
    const refusals = await Promise.all([
      refusalTo(supplier.finalizeUpload(reference, newId())),
      refusalTo(other.finalizeUpload(reference, documentId)),
      refusalTo(supplier.finalizeUpload(otherReference, documentId)),
    ]);
    for (const each of refusals) expect(each).toEqual(refusals[0]);
    expect(refusals[0]).toMatchObject(NOT_FOUND);
    await expectAwaiting(documentId);
    await finalize();
    expect(await refusalTo(other.finalizeUpload(reference, documentId))).toEqual(refusals[0]);
    expect(await refusalTo(supplier.finalizeUpload(otherReference, documentId))).toEqual(refusals[0]);
  });

  it('hides a document of the other environment', async () => {
    const { reference, documentId } = await requestUpload();
    const sandbox = service.supplier(Environment.SANDBOX);
    service.submit(sandbox, reference);
    expect(await refusalTo(sandbox.finalizeUpload(reference, documentId))).toMatchObject(NOT_FOUND);
  });
});

describe('FinalizeUpload returning VALIDATION_ERROR at document_id', () => {
  it('rejects a document before its upload has arrived, and accepts it afterwards', async () => {
    const { documentId, finalize } = await requestUpload({ uploaded: false });
    expect(await refusalTo(finalize())).toMatchObject(BAD_DOCUMENT);
    await expectAwaiting(documentId);
    await service.upload(documentId);
    expect(await finalize()).toMatchObject({ documentId });
  });

  it.each([
    ['a byte too short', { bytes: Buffer.alloc(1_023) }],
    ['a byte too long', { bytes: Buffer.alloc(1_025) }],
    ['of a different type', { bytes: Buffer.alloc(1_024), contentType: 'text/csv' }],
  ])('rejects an upload that is %s, keeps it for holds and accepts a right one', async (_, file) => {
    const { documentId, finalize } = await requestUpload({ uploaded: false });
    await service.upload(documentId, file);
    expect(await refusalTo(finalize())).toMatchObject(BAD_DOCUMENT);
    await expectAwaiting(documentId);
    expect(await service.keysOf('incoming')).toContain((await rowOf(documentId)).objectKey);
    await service.upload(documentId);
    expect(await finalize()).toMatchObject({ documentId });
  });

  it.each([
    ['text/csv; charset=utf-8', 'text/csv; charset=utf-8'],
    ['text/csv; charset=utf-8', 'text/csv'],
    ['text/csv', 'Text/CSV;charset=UTF-8'],
    ['Application/PDF', 'application/pdf'],
  ])(
    'rejects the upload unless %j and the stored %j are the same media type',
    async (contentType, stored) => {
      const supplier = service.supplier();
      const externalReference = newId<string>();
      service.submit(supplier, externalReference);
      const { documentId } = await supplier.createUpload({ externalReference, contentType });
      await service.upload(documentId, { contentType: stored });
      expect(await supplier.finalizeUpload(externalReference, documentId)).toMatchObject({ documentId });
    },
  );

  it('rejects an upload that is replaced repeatedly during the copy', async () => {
    const { documentId, finalize } = await requestUpload();
    service.store.copy = async () => {
      throw new ObjectChanged();
    };
    expect(await refusalTo(finalize())).toMatchObject(BAD_DOCUMENT);
    await expectAwaiting(documentId);
  });
});

it('FinalizeUpload finalizes the replacement when a valid upload replaces another during the copy', async () => {
  const { documentId, finalize } = await requestUpload();
  const { copy } = service.store;
  const second = randomBytes(1_024);
  let copies = 0;
  service.store.copy = async (from, to) => {
    copies += 1;
    if (copies === 1) await service.upload(documentId, { bytes: second });
    return copy(from, to);
  };
  expect((await finalize()).scanStatus).toBe(ScanStatus.PENDING_SCAN);
  const { heldKey, etag } = await service.db.document.findUniqueOrThrow({ where: { id: documentId } });
  expect((await buffer(await service.store.read('held', heldKey ?? '', etag ?? ''))).equals(second)).toBe(
    true,
  );
});

describe('FinalizeUpload returning SERVICE_UNAVAILABLE', () => {
  it.each(['stat', 'copy'] as const)(
    'changes nothing when the store cannot %s, and succeeds when repeated',
    async (method) => {
      const { documentId, finalize } = await requestUpload();
      service.store[method] = async () => {
        throw new StoreUnavailable(method);
      };
      expect(await refusalTo(finalize())).toMatchObject(AWAY);
      await expectAwaiting(documentId);
      service.restoreStore();
      expect(await finalize()).toMatchObject({ documentId });
      expect(await service.eventsOf(documentId)).toEqual(['DocumentFinalized']);
    },
  );

  it('fails while the submission service is unavailable', async () => {
    const { documentId, finalize } = await requestUpload();
    service.submissions.unavailable = true;
    expect(await refusalTo(finalize())).toMatchObject(AWAY);
    await expectAwaiting(documentId);
    service.submissions.unavailable = false;
    expect(await finalize()).toMatchObject({ documentId });
  });

  it('removes the copy when the database fails after it was made, and succeeds when repeated', async () => {
    const { documentId, finalize } = await requestUpload();
    const { copy } = service.store;
    let orphan = '';
    service.store.copy = async (from, to) => {
      const etag = await copy(from, to);
      orphan = to.key;
      await service.pool.query(`ALTER TABLE outbox RENAME TO outbox_renamed`);
      return etag;
    };
    await expect(finalize()).rejects.toThrow();
    await service.pool.query(`ALTER TABLE outbox_renamed RENAME TO outbox`);
    service.restoreStore();
    await expectAwaiting(documentId);
    expect(await service.keysOf('held')).toContain(orphan);
    expect(await finalize()).toMatchObject({ documentId });
    const { heldKey } = await rowOf(documentId);
    expect(heldKey).not.toBe(orphan);
    service.clock.advance(HOUR_MS);
    await removeObjects.run(service.context);
    expect(await service.keysOf('held')).not.toContain(orphan);
    expect(await service.keysOf('held')).toContain(heldKey);
  });
});

it('FinalizeUpload never refers to a copy that was removed as abandoned', async () => {
  const { documentId, finalize } = await requestUpload();
  const { copy } = service.store;
  service.store.copy = async (from, to) => {
    const etag = await copy(from, to);
    service.clock.advance(HOUR_MS);
    await removeObjects.run(service.context);
    return etag;
  };
  await expect(finalize()).rejects.toThrow();
  await expectAwaiting(documentId);
  service.restoreStore();
  expect(await finalize()).toMatchObject({ documentId });
});

it('FinalizeUpload holds no database connection while it waits for the store or the submission service', async () => {
  const { finalize } = await requestUpload();
  const { copy } = service.store;
  let open = -1;
  service.store.copy = async (from, to) => {
    const { rows } = await service.pool.query(
      `SELECT count(*)::int AS open FROM pg_stat_activity
       WHERE datname = current_database() AND state LIKE 'idle in transaction%'`,
    );
    open = rows[0].open;
    return copy(from, to);
  };
  await finalize();
  expect(open).toBe(0);
});

it('FinalizeUpload removes the copy when the document is deleted meanwhile', async () => {
  const { documentId, finalize } = await requestUpload();
  const { copy } = service.store;
  let held = '';
  service.store.copy = async (from, to) => {
    held = to.key;
    const etag = await copy(from, to);
    await service.staff().deleteDocument({ documentId });
    return etag;
  };
  expect(await refusalTo(finalize())).toMatchObject(NOT_FOUND);
  expect(await removalsOf(held)).toMatchObject([{ area: 'held' }]);
  expect(await service.eventsOf(documentId)).toEqual(['DocumentDeleted']);
});
