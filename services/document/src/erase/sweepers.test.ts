import { RefusalCode, refusalOf } from '@supplier/lib/rpc/refusal';
import { serviceForTests } from '../../testing/test-service.ts';
import { StoreUnavailable } from '../object-store/object-store.ts';
import {
  expireUnfinalized,
  forgetAbandoned,
  removeObjects,
  retention,
  unacceptedRetention,
} from './retention.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const service = serviceForTests();

const rowOf = (id: string) => service.db.document.findUniqueOrThrow({ where: { id } });
const stateOf = async (id: string) => (await rowOf(id)).state;

/** Sets the clock to `ms` after the document was reserved. */
const setAfter = async (documentId: string, ms: number) =>
  service.clock.set(new Date((await rowOf(documentId)).createdAt.getTime() + ms));

describe('upload that is never finalized', () => {
  it('is deleted at 24 hours, not a millisecond before', async () => {
    const supplier = service.supplier();
    const { documentId } = await supplier.createUpload();
    await service.upload(documentId);
    await setAfter(documentId, DAY_MS - 1);
    expect(await expireUnfinalized.run(service.context)).toEqual({ count: 0, more: false });
    expect(await stateOf(documentId)).toBe('awaiting_upload');

    service.clock.advance(1);
    expect(await expireUnfinalized.run(service.context)).toEqual({ count: 1, more: false });
    expect(await stateOf(documentId)).toBe('deleted');
    const { bytes } = await service.db.accountUsage.findFirstOrThrow();
    expect(bytes).toBe(0n);

    expect(await removeObjects.run(service.context)).toEqual({ count: 1, more: false });
    expect(await service.keysOf('incoming')).toEqual([]);
    expect(await service.db.objectRemoval.count()).toBe(0);
  });

  it('is deleted without an audit entry and forgotten 30 days later, unlike a finalized one', async () => {
    const { documentId: finalized } = await service.finalized();
    await service.staff().deleteDocument({ documentId: finalized });
    expect(await service.db.auditEntry.count()).toBe(1);
    const { documentId } = await service.supplier().createUpload();
    await setAfter(documentId, DAY_MS);
    expect((await expireUnfinalized.run(service.context)).count).toBe(1);
    expect(await service.db.auditEntry.count()).toBe(1);
    service.clock.advance(30 * DAY_MS - 1);
    while ((await removeObjects.run(service.context)).count > 0);
    expect(await forgetAbandoned.run(service.context)).toEqual({ count: 0, more: false });
    service.clock.advance(1);
    expect(await forgetAbandoned.run(service.context)).toEqual({ count: 1, more: false });
    expect(await service.db.document.findMany({ select: { id: true } })).toEqual([{ id: finalized }]);
  });

  it('is not forgotten while its bytes are still to be removed, so that an erasure finds them', async () => {
    const { documentId } = await service.supplier().createUpload();
    await service.upload(documentId);
    await setAfter(documentId, DAY_MS);
    expect((await expireUnfinalized.run(service.context)).count).toBe(1);
    service.clock.advance(31 * DAY_MS);
    for (let repeated = 0; repeated < 3; repeated += 1)
      expect(await forgetAbandoned.run(service.context)).toEqual({ count: 0, more: false });
    expect(await stateOf(documentId)).toBe('deleted');
    expect((await removeObjects.run(service.context)).count).toBe(1);
    expect(await forgetAbandoned.run(service.context)).toEqual({ count: 1, more: false });
  });

  it('is left unchanged once it is finalized', async () => {
    const { documentId } = await service.finalized();
    await setAfter(documentId, 2 * DAY_MS);
    expect((await expireUnfinalized.run(service.context)).count).toBe(0);
    expect(await stateOf(documentId)).toBe('finalized');
  });

  it('is either finalized or deleted, never both, when both happen concurrently', async () => {
    const supplier = service.supplier();
    const reference = 'ref';
    service.submit(supplier, reference);
    const { documentId } = await supplier.createUpload({ externalReference: reference });
    await service.upload(documentId);
    await setAfter(documentId, DAY_MS - 1);
    const { copy } = service.store;
    service.store.copy = async (from, to) => {
      const etag = await copy(from, to);
      service.clock.advance(1);
      await expireUnfinalized.run(service.context);
      return etag;
    };
    const outcome = await supplier.finalizeUpload(reference, documentId).catch(refusalOf);
    expect(outcome).toMatchObject({ code: RefusalCode.NOT_FOUND });
    expect(await stateOf(documentId)).toBe('deleted');
    service.clock.advance(HOUR_MS);
    await removeObjects.run(service.context);
    expect([...(await service.keysOf('incoming')), ...(await service.keysOf('held'))]).toEqual([]);
  });
});

describe('finalized document', () => {
  const refused = {
    infected: { scanStatus: 'infected', scanReason: 'malware', signature: 'x', scanDueAt: null },
    scan_failed: { scanStatus: 'scan_failed', scanReason: 'encrypted', scanDueAt: null },
  } as const;

  it.each(['infected', 'scan_failed'] as const)(
    'with status %s is deleted 30 days after its scan, not a millisecond before',
    async (result) => {
      const { documentId } = await service.finalized();
      service.clock.advance(DAY_MS);
      const scannedAt = service.clock.now();
      await service.db.document.update({
        where: { id: documentId },
        data: { ...refused[result], scannedAt },
      });
      service.clock.advance(30 * DAY_MS - 1);
      expect((await retention.run(service.context)).count).toBe(0);
      service.clock.advance(1);
      expect((await retention.run(service.context)).count).toBe(1);
      expect(await stateOf(documentId)).toBe('deleted');
      service.clock.advance(HOUR_MS);
      await removeObjects.run(service.context);
      expect(await service.keysOf('held')).toEqual([]);
    },
  );

  it('is deleted after six years in any state, not a millisecond before', async () => {
    const { documentId } = await service.finalized();
    const finalizedAt = (await rowOf(documentId)).finalizedAt ?? new Date(0);
    service.clock.set(new Date(finalizedAt.getTime() + 2_190 * DAY_MS - 1));
    expect((await retention.run(service.context)).count).toBe(0);
    service.clock.advance(1);
    expect((await retention.run(service.context)).count).toBe(1);
    expect(await stateOf(documentId)).toBe('deleted');
    expect(await service.eventsOf(documentId)).toEqual(['DocumentFinalized', 'DocumentDeleted']);
    const [line] = await service.db.auditEntry.findMany();
    expect(line).toMatchObject({
      actor: 'service:document',
      action: 'Retention',
      target: documentId,
      after: { documentId },
    });
  });
});

describe('finalized document of a submission that was never accepted', () => {
  const finalized = async (accepted: boolean) => {
    const { documentId } = await service.finalized();
    const { submissionId, finalizedAt } = await rowOf(documentId);
    if (!accepted) service.submissions.unaccepted.add(submissionId ?? '');
    service.clock.set(new Date((finalizedAt?.getTime() ?? 0) + 365 * DAY_MS - 1));
    return documentId;
  };

  it('is deleted after twelve months, not a millisecond before', async () => {
    const documentId = await finalized(false);
    expect((await unacceptedRetention.run(service.context)).count).toBe(0);
    service.clock.advance(1);
    expect((await unacceptedRetention.run(service.context)).count).toBe(1);
    expect(await stateOf(documentId)).toBe('deleted');
    const [line] = await service.db.auditEntry.findMany();
    expect(line).toMatchObject({
      actor: 'service:document',
      action: 'Retention',
      target: documentId,
      after: { documentId },
    });
  });

  it('is distinguished from an accepted one, which is looked up only once', async () => {
    const documentId = await finalized(true);
    service.clock.advance(1);
    expect((await unacceptedRetention.run(service.context)).count).toBe(0);
    service.submissions.unavailable = true;
    expect((await unacceptedRetention.run(service.context)).count).toBe(0);
    service.submissions.unavailable = false;
    expect(await stateOf(documentId)).toBe('finalized');
  });
});

describe('object removal', () => {
  it('waits until no upload can write to the key', async () => {
    await service.finalized();
    expect((await removeObjects.run(service.context)).count).toBe(0);
    expect(await service.keysOf('incoming')).toHaveLength(1);
    service.clock.advance(15 * 60_000);
    expect((await removeObjects.run(service.context)).count).toBe(0);
    service.clock.advance(10 * 60_000);
    expect((await removeObjects.run(service.context)).count).toBe(1);
    expect(await service.keysOf('incoming')).toEqual([]);
    expect(await service.keysOf('held')).toHaveLength(1);
  });

  it('is retried a minute after the store was unavailable, without losing any object', async () => {
    const { documentId } = await service.finalized();
    await service.staff().deleteDocument({ documentId });
    service.clock.advance(DAY_MS);
    const { remove } = service.store;
    let calls = 0;
    service.store.remove = async () => {
      calls += 1;
      throw new StoreUnavailable('remove an object');
    };
    await expect(removeObjects.run(service.context)).rejects.toThrow(StoreUnavailable);
    // The sweep stops at the first failure while the store is unavailable.
    expect(calls).toBe(1);
    expect(await service.db.objectRemoval.count()).toBe(2);
    service.store.remove = remove;
    service.clock.advance(59_999);
    expect((await removeObjects.run(service.context)).count).toBe(0);
    service.clock.advance(1);
    expect((await removeObjects.run(service.context)).count).toBe(2);
    expect(await service.db.objectRemoval.count()).toBe(0);
  });

  it('is repeated when it is made due again while the object is being removed', async () => {
    const { documentId } = await service.finalized();
    await service.staff().deleteDocument({ documentId });
    service.clock.advance(DAY_MS);
    const { remove } = service.store;
    service.store.remove = async (area, objectKey) => {
      await remove(area, objectKey);
      // As the scan worker does for a copy that was written after the removal.
      const data = { dueAt: service.clock.now() };
      await service.db.objectRemoval.updateMany({ where: { area, objectKey }, data });
    };
    for (let repeated = 0; repeated < 2; repeated += 1)
      expect((await removeObjects.run(service.context)).count).toBe(2);
    service.store.remove = remove;
    expect((await removeObjects.run(service.context)).count).toBe(2);
    expect(await service.db.objectRemoval.count()).toBe(0);
  });

  it('continues with the other objects when one cannot be removed', async () => {
    const { documentId } = await service.finalized();
    await service.staff().deleteDocument({ documentId });
    service.clock.advance(DAY_MS);
    const { remove } = service.store;
    let bad: string | undefined;
    service.store.remove = async (area, key) => {
      bad ??= `${area} ${key}`;
      if (bad === `${area} ${key}`) throw new Error('bad object');
      return remove(area, key);
    };
    await expect(removeObjects.run(service.context)).rejects.toThrow('bad object');
    const left = await service.db.objectRemoval.findMany();
    expect(left.map(({ area, objectKey }) => `${area} ${objectKey}`)).toEqual([bad]);
  });

  it('runs in batches of bounded size, with each object removed by one sweeper', async () => {
    const dueAt = service.clock.now();
    const data = Array.from({ length: 120 }, (_, n) => ({
      area: 'held' as const,
      objectKey: n.toString(16).padStart(64, '0'),
      dueAt,
    }));
    await service.db.objectRemoval.createMany({ data });
    const removed: string[] = [];
    service.store.remove = async (_, key) => {
      removed.push(key);
    };
    const both = await Promise.all([1, 2].map(() => removeObjects.run(service.context)));
    expect(both).toEqual([
      { count: 50, more: true },
      { count: 50, more: true },
    ]);
    expect(await removeObjects.run(service.context)).toEqual({ count: 20, more: false });
    expect(new Set(removed).size).toBe(120);
  });
});

describe('sweep of documents', () => {
  const finalized = () => service.finalized();
  /** Copies a document, each copy a second later; finalized ones were reserved in the other order. */
  const copies = (documentId: string, count: number) =>
    service.pool.query(
      `INSERT INTO document SELECT (jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid(),
                'object_key', md5(n::text) || md5(n::text), 'held_key', overlay(d.held_key PLACING md5(n::text) FROM 1),
                'created_at', d.created_at + CASE WHEN d.finalized_at IS NULL THEN n ELSE -n END * interval '1 s',
                'finalized_at', d.finalized_at + n * interval '1 s',
                'deleted_at', d.deleted_at + n * interval '1 s'))).*
         FROM document AS d, generate_series(1, $2) AS n WHERE id = $1`,
      [documentId, count],
    );

  it.each([
    ['uploads', expireUnfinalized, () => service.supplier().createUpload(), 1],
    ['documents past their retention', retention, finalized, 2_190],
    ['documents of unaccepted submissions', unacceptedRetention, finalized, 365],
  ])('removes %s in batches of 100 without a pause, longest kept first', async (_, sweep, make, days) => {
    const { documentId } = await make();
    service.submissions.unaccepted.add((await rowOf(documentId)).submissionId ?? '');
    await copies(documentId, 200);
    await service.pool.query('UPDATE account_usage SET bytes = 201 * bytes');
    await setAfter(documentId, days * DAY_MS + HOUR_MS);
    const first = await sweep.run(service.context);
    expect(await stateOf(documentId)).toBe('deleted');
    const others = [await sweep.run(service.context), await sweep.run(service.context)];
    expect([first, ...others]).toEqual([100, 100, 1].map((count) => ({ count, more: count > 1 })));
  });

  it('forgets abandoned uploads in batches of 500 without a pause, longest deleted first', async () => {
    const { documentId } = await service.supplier().createUpload();
    await setAfter(documentId, DAY_MS);
    await expireUnfinalized.run(service.context);
    await service.db.objectRemoval.deleteMany();
    await copies(documentId, 1_000);
    service.clock.advance(31 * DAY_MS);
    const first = await forgetAbandoned.run(service.context);
    expect(await service.db.document.count({ where: { id: documentId } })).toBe(0);
    const others = [await forgetAbandoned.run(service.context), await forgetAbandoned.run(service.context)];
    expect([first, ...others]).toEqual([500, 500, 1].map((count) => ({ count, more: count > 1 })));
  });
});
