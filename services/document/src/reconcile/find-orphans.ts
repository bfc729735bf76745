import type { Area, ListedObject, ObjectStore } from '../object-store/object-store.ts';
import type { Database } from '../store/database.ts';
import type { Orphan } from './exception.ts';
import { findUnreferenced } from './store-comparison.sql.ts';

const BATCH = 500;
/** Copies are made before the database refers to them; younger objects may be such copies. */
const MIN_AGE_MS = 3_600_000;

interface Search {
  readonly db: Database;
  readonly store: ObjectStore;
  readonly now: Date;
  /** Whether no process of the service runs: then no object is on its way to a document. */
  readonly stopped: boolean;
  readonly seen: (count: number) => void;
}

/**
 * The objects of an area without a reference; while the service runs, those older than an hour. Reads 500 objects at a
 * time and calls `seen` with their number.
 */
export async function* findOrphans(
  { db, store, now, stopped, seen }: Search,
  area: Area,
): AsyncGenerator<Orphan> {
  const createdBefore = stopped ? Number.POSITIVE_INFINITY : now.getTime() - MIN_AGE_MS;
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
