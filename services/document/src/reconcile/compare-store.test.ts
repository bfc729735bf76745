import { RefusalCode, refusalOf } from '@supplier/lib/rpc/refusal';
import { newId } from '@supplier/lib/text/ids';
import { newKey } from '../../testing/object-store-suite.ts';
import { serviceForTests } from '../../testing/test-service.ts';
import { removeObjects } from '../erase/retention.ts';
import { compareStore } from './compare-store.ts';
import { FIRST_DOCUMENT } from './find-differences.ts';

const HOUR_MS = 3_600_000;
const SPAN = { since: new Date(0), until: new Date(1) };

const service = serviceForTests();

/**
 * Compares everything, part by part. The clock is two hours ahead, because objects of the local store have real times.
 */
async function compare(repair: boolean) {
  const clock = { now: () => new Date(Date.now() + 2 * HOUR_MS) };
  const comparison = compareStore({ ...service.context, clock });
  const found = [];
  const parts = [];
  let at = '';
  do {
    const part = await comparison({ span: SPAN, at, repair });
    found.push(...part.differences.map(({ what, target, repaired }) => [what, target, repaired]));
    at = part.next;
    parts.push(at.split(' ')[0]);
  } while (at !== '');
  return { found, parts };
}

const heldOf = async (documentId: string) => {
  const row = await service.db.document.findUniqueOrThrow({ where: { id: documentId } });
  return { area: 'held' as const, key: row.heldKey ?? '', etag: row.etag ?? '' };
};

it('compareStore compares each area and then the documents, and finds the differences in each', async () => {
  const { documentId } = await service.finalized();
  const held = await heldOf(documentId);
  const key = newKey();
  await service.store.copy(held, { area: 'clean', key });
  await service.store.remove('held', held.key);
  expect(await compare(false)).toEqual({
    found: [
      ['orphan', `clean/${key}`, false],
      ['missing', documentId, false],
    ],
    parts: ['area', 'area', 'documents', 'owners', ''],
  });
  // Missing bytes cannot be repaired.
  expect((await compare(true)).found).toEqual([
    ['orphan', `clean/${key}`, true],
    ['missing', documentId, false],
  ]);
  expect((await compare(true)).found).toEqual([['missing', documentId, false]]);
  service.clock.set(new Date(Date.now() + 3 * HOUR_MS));
  await removeObjects.run(service.context);
  expect(await service.store.stat('clean', key)).toBeUndefined();
  expect(await compare(false)).toMatchObject({ found: [['missing', documentId, false]] });
});

it('compareStore schedules the removal of each of more than a hundred orphans', async () => {
  const held = await heldOf((await service.finalized()).documentId);
  for (let count = 0; count < 101; count += 1)
    await service.store.copy(held, { area: 'clean', key: newKey() });
  await compare(true);
  expect(await service.db.objectRemoval.count({ where: { area: 'clean' } })).toBe(101);
});

it.each(['area nowhere', 'documents x', 'owners x', 'x'])(
  'compareStore rejects a token that it did not issue: %s',
  async (at) => {
    const asked = compareStore(service.context)({ span: SPAN, at, repair: false });
    expect((await asked.then(() => undefined, refusalOf))?.violations.map(({ path }) => path)).toEqual([
      'resume_token',
    ]);
  },
);

describe('compareStore, from documents to submissions', () => {
  it('finds documents of unknown submissions, and of those of another account or environment', async () => {
    const planted = [];
    for (const data of [
      { submissionId: newId() },
      { accountId: newId() },
      { environment: 'sandbox' as const },
      {},
    ]) {
      const { documentId } = await service.finalized();
      await service.db.document.update({ where: { id: documentId }, data });
      planted.push(documentId);
    }
    const [unknown, account, environment] = planted;
    expect((await compare(true)).found).toEqual([
      ['unexplained', unknown, false],
      ['other_account', account, false],
      ['other_environment', environment, false],
    ]);
    await service.staff().deleteDocument({ documentId: unknown ?? '' });
    expect((await compare(false)).found).toHaveLength(2);
  });

  it('finds each of thousands, on any page', async () => {
    const { documentId } = await service.finalized();
    const row = await service.db.document.findUniqueOrThrow({ where: { id: documentId } });
    const data = Array.from({ length: 2_100 }, () => {
      const [id, submissionId] = [newId(), newId()];
      return { ...row, id, submissionId, objectKey: newKey(), heldKey: newKey() };
    });
    await service.db.document.createMany({ data });
    const comparison = compareStore(service.context);
    const found = [];
    for (let at = `owners ${FIRST_DOCUMENT}`; at !== ''; ) {
      const part = await comparison({ span: SPAN, at, repair: false });
      found.push(...part.differences.map(({ what, target }) => [what, target]));
      at = part.next;
    }
    expect(found).toEqual(data.map(({ id }) => ['unexplained', id]));
  });

  it('compares nothing while the submission service is away', async () => {
    await service.finalized();
    service.submissions.unavailable = true;
    const asked = compareStore(service.context)({
      span: SPAN,
      at: `owners ${FIRST_DOCUMENT}`,
      repair: false,
    });
    expect((await asked.then(() => undefined, refusalOf))?.code).toBe(RefusalCode.SERVICE_UNAVAILABLE);
  });
});
