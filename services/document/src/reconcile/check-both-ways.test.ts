import { randomBytes } from 'node:crypto';
import { newKey } from '../../testing/object-store-suite.ts';
import { serviceForTests } from '../../testing/test-service.ts';
import type { Area, ListedObject } from '../object-store/object-store.ts';
import { checkStore } from './compare-store.ts';
import type { Exception } from './find-differences.ts';

const HOUR_MS = 3_600_000;
const service = serviceForTests();
/** Two hours ahead: the objects of the local store have real times. */
const later = () => new Date(Date.now() + 2 * HOUR_MS);

async function check({ removeOrphans = false, stopped = false, now = later() } = {}) {
  const { db, pool, store } = service.context;
  const exceptions: Exception[] = [];
  const found = (exception: Exception) => exceptions.push(exception);
  const summary = await checkStore({
    db,
    pool,
    store,
    now,
    removeOrphans,
    stopped,
    found,
    progress: () => {},
  });
  return { summary, exceptions };
}

const rowOf = async (documentId: string) => {
  const row = await service.db.document.findUniqueOrThrow({ where: { id: documentId } });
  return { ...row, held: { area: 'held' as const, key: row.heldKey ?? '' }, etag: row.etag ?? '' };
};
/** Stores an unreferenced object in an area. */
const leave = async (area: Area) => {
  const { documentId } = await service.finalized();
  const { held, etag } = await rowOf(documentId);
  const key = newKey();
  await service.store.copy({ ...held, etag }, { area, key });
  return key;
};

describe('checkStore', () => {
  it('finds nothing when documents await upload, are held, are clean or are deleted', async () => {
    const supplier = service.supplier();
    const { documentId: awaiting } = await supplier.createUpload();
    await service.upload(awaiting);
    await service.finalized(supplier);
    const clean = await rowOf((await service.finalized(supplier)).documentId);
    const key = newKey();
    const etag = await service.store.copy({ ...clean.held, etag: clean.etag }, { area: 'clean', key });
    await service.db.$transaction([
      service.db.document.update({
        where: { id: clean.id },
        data: { area: 'clean', heldKey: key, etag, scanStatus: 'clean', scanDueAt: null },
      }),
      service.db.objectRemoval.create({
        data: { area: 'held', objectKey: clean.held.key, dueAt: new Date() },
      }),
    ]);
    const { documentId: deleted } = await service.finalized(supplier);
    await service.staff().deleteDocument({ documentId: deleted });

    const { summary, exceptions } = await check();
    expect(exceptions).toEqual([]);
    expect(summary).toMatchObject({ documents: 2, exceptions: 0, removalsScheduled: 0 });
    expect(summary.objects).toBeGreaterThanOrEqual(4);
  });

  it.each<Area>(['incoming', 'held', 'clean'])('finds an unreferenced object in %s', async (area) => {
    const key = await leave(area);
    const { exceptions } = await check();
    expect(exceptions).toMatchObject([{ kind: 'orphan', area, key, byteSize: 1_024 }]);
  });

  it('ignores objects younger than an hour, whose documents may be about to refer to them', async () => {
    await leave('held');
    expect((await check({ now: new Date(Date.now() + 0.9 * HOUR_MS) })).exceptions).toEqual([]);
  });

  it('reports young objects as orphans while the service is stopped, since no document can be about to refer to them', async () => {
    const key = await leave('clean');
    const { exceptions } = await check({ stopped: true, now: new Date() });
    expect(exceptions).toMatchObject([{ kind: 'orphan', area: 'clean', key }]);
  });

  it('schedules the removal of orphans only, on request, and once', async () => {
    const key = await leave('held');
    const before = await service.db.objectRemoval.count();
    expect((await check()).summary).toMatchObject({ exceptions: 1, removalsScheduled: 0 });
    expect((await check({ removeOrphans: true })).summary).toMatchObject({
      exceptions: 1,
      removalsScheduled: 1,
    });
    const scheduled = await service.db.objectRemoval.findUnique({
      where: { area_objectKey: { area: 'held', objectKey: key } },
    });
    expect(scheduled).not.toBeNull();
    expect(await service.db.objectRemoval.count()).toBe(before + 1);
    expect((await check({ removeOrphans: true })).summary).toMatchObject({
      exceptions: 0,
      removalsScheduled: 0,
    });
  });

  it('does not report an orphan that was removed during the check', async () => {
    const key = await leave('held');
    const { store } = service;
    const { list } = store;
    store.list = async function* (area: Area): AsyncGenerator<ListedObject> {
      for await (const object of list(area)) yield object;
      await store.remove('held', key);
    };
    expect((await check()).exceptions).toEqual([]);
  });

  it('finds documents whose object is missing, has another size, or has other bytes', async () => {
    const gone = await rowOf((await service.finalized()).documentId);
    const short = await rowOf((await service.finalized()).documentId);
    const other = await rowOf((await service.finalized()).documentId);
    const { store } = service;
    await store.remove('held', gone.held.key);
    const put = async (size: number, held: { area: 'held'; key: string }) => {
      const { documentId } = await service.supplier().createUpload();
      await service.upload(documentId, { bytes: randomBytes(size) });
      const { objectKey: key } = await rowOf(documentId);
      const etag = (await store.stat('incoming', key))?.etag ?? '';
      await store.copy({ area: 'incoming', key, etag }, held);
    };
    await put(1_000, short.held);
    await put(1_024, other.held);

    const { exceptions } = await check();
    const found = exceptions.map((exception) => [
      exception.kind,
      exception.kind === 'orphan' ? undefined : exception.documentId,
    ]);
    expect(found.sort()).toEqual([
      ['missing', gone.id],
      ['other_bytes', other.id],
      ['other_size', short.id],
    ]);
  });

  it('finds a document in the clean area that is not clean, but not one that is being rescanned', async () => {
    const rows = [await service.finalized(), await service.finalized()];
    const [failed, rescanned] = await Promise.all(rows.map(({ documentId }) => rowOf(documentId)));
    if (!failed || !rescanned) throw new Error('two documents');
    for (const row of [failed, rescanned]) {
      await service.store.copy({ ...row.held, etag: row.etag }, { area: 'clean', key: row.held.key });
      await service.store.remove('held', row.held.key);
    }
    await service.db.document.update({ where: { id: rescanned.id }, data: { area: 'clean' } });
    await service.db.document.update({
      where: { id: failed.id },
      data: { area: 'clean', scanStatus: 'scan_failed', scanReason: 'encrypted', scanDueAt: null },
    });
    const { exceptions } = await check();
    expect(exceptions).toMatchObject([
      { kind: 'not_clean', documentId: failed.id, scanStatus: 'scan_failed' },
    ]);
  });

  it('does not report an object that moved during the check', async () => {
    const row = await rowOf((await service.finalized()).documentId);
    const { store } = service;
    const { stat } = store;
    const key = newKey();
    let moved = false;
    store.stat = async (area, requested) => {
      if (requested === row.held.key && !moved) {
        moved = true;
        await store.copy({ ...row.held, etag: row.etag }, { area: 'held', key });
        await service.db.document.update({ where: { id: row.id }, data: { heldKey: key } });
        await store.remove('held', row.held.key);
      }
      return stat(area, requested);
    };
    expect((await check({ now: new Date() })).exceptions).toEqual([]);
    expect(moved).toBe(true);
  });
});
