import type { Database } from '../db/database.ts';
import { findUnreferenced } from '../db/store-comparison.ts';
import type { Area, ListedObject, ObjectStore } from '../object-store/object-store.ts';
import type { Orphan } from './exception.ts';

const BATCH = 500;
/** Copies are made before the database refers to them; younger objects may be such copies. */
const MIN_AGE_MS = 3_600_000;

/**
 * The objects of an area, older than an hour, without a reference. Reads 500 objects at a time and calls `seen` with
 * their number.
 */
export async function* findOrphans(
  { db, store, now, seen }: { db: Database; store: ObjectStore; now: Date; seen: (count: number) => void },
  area: Area,
): AsyncGenerator<Orphan> {
  const createdBefore = now.getTime() - MIN_AGE_MS;
  for await (const listed of batches(store.list(area))) {
    const old = new Map(
      listed
        .filter(({ storedAt }) => storedAt.getTime() < createdBefore)
        .map((object) => [object.key, object]),
    );
    for (const key of old.size > 0 ? await findUnreferenced(db, area, [...old.keys()]) : []) {
      const object = old.get(key);
      // It may have been removed since it was listed.
      if (object && (await store.stat(area, key))) yield { kind: 'orphan', area, ...object };
    }
    seen(listed.length);
  }
}

async function* batches(objects: AsyncIterable<ListedObject>): AsyncGenerator<ListedObject[]> {
  let batch: ListedObject[] = [];
  for await (const object of objects) {
    batch.push(object);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
