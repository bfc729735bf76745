import type { Pool } from 'pg';
import type { Area, ListedObject, ObjectStore, StoredObject } from '../object-store/object-store.ts';
import type { Database } from '../store/database.ts';
import { findStored, findUnreferenced, listStored, type StoredDocument } from './store-comparison.sql.ts';

/** A contradiction between store and database. */
export type Exception = Orphan | Contradiction;

export interface Orphan extends ListedObject {
  readonly kind: 'orphan';
  readonly area: Area;
}

/** A document whose bytes are missing or wrong, or in the clean area although it is not clean. */
export interface Contradiction
  extends Pick<StoredDocument, 'documentId' | 'area' | 'key' | 'byteSize' | 'scanStatus'> {
  readonly kind: 'missing' | 'other_size' | 'other_bytes' | 'not_clean';
}

export const FAULTS: Readonly<Record<Exception['kind'], string>> = {
  orphan: 'no document refers to the object, which is older than an hour',
  missing: 'the object of the document does not exist',
  other_size: "the object's size differs from the document's",
  other_bytes: "the object's bytes differ from the document's",
  not_clean: 'the object is in the clean area, but its document is not clean',
};

export function describeException(exception: Exception): string {
  const place = `${exception.area}/${exception.key}`;
  switch (exception.kind) {
    case 'orphan':
      return `orphan       ${place}: ${exception.byteSize} bytes since ${exception.storedAt.toISOString()}`;
    case 'missing':
      return `missing      ${place}: document ${exception.documentId} (${exception.scanStatus})`;
    case 'other_size':
      return `other size   ${place}: document ${exception.documentId} has ${exception.byteSize} bytes`;
    case 'other_bytes':
      return `other bytes  ${place}: document ${exception.documentId} (${exception.scanStatus})`;
    case 'not_clean':
      return `not clean    ${place}: document ${exception.documentId} is ${exception.scanStatus}`;
  }
}

const OBJECTS_AT_ONCE = 500;
/** Copies are made before the database refers to them; younger objects may be such copies. */
const MIN_AGE_MS = 3_600_000;

interface Search {
  readonly pool: Pool;
  readonly store: ObjectStore;
  readonly now: Date;
  /** Whether no process of the service is running, so that no object can be awaiting its reference. */
  readonly stopped: boolean;
  readonly seen: (count: number) => void;
}

/**
 * Finds the unreferenced objects of an area; while the service is running, only those older than an hour. Reads 500
 * objects at a time and calls `seen` with their number.
 */
export async function* findOrphans(
  { pool, store, now, stopped, seen }: Search,
  area: Area,
): AsyncGenerator<Orphan> {
  const createdBefore = stopped ? Number.POSITIVE_INFINITY : now.getTime() - MIN_AGE_MS;
  for await (const listed of batches(store.list(area))) {
    const old = new Map(
      listed
        .filter(({ storedAt }) => storedAt.getTime() < createdBefore)
        .map((object) => [object.key, object]),
    );
    for (const key of old.size > 0 ? await findUnreferenced(pool, area, [...old.keys()]) : []) {
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
    if (batch.length < OBJECTS_AT_ONCE) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

const DOCUMENTS_AT_ONCE = 200;
/** Concurrent requests to the store. */
const CONCURRENCY = 8;
/** Sorts before the id of every document. */
export const FIRST_DOCUMENT = '00000000-0000-0000-0000-000000000000';

interface Sides {
  readonly db: Database;
  readonly store: ObjectStore;
  /** Called with the number of documents checked. */
  readonly seen: (count: number) => void;
}

/** Finds the finalized documents whose stored bytes differ from the database, 200 at a time. */
export async function* findContradictions(sides: Sides): AsyncGenerator<Contradiction> {
  let after: string | undefined = FIRST_DOCUMENT;
  while (after !== undefined) {
    const part: ContradictionsOfPart = await contradictionsAfter(sides, after);
    yield* part.found;
    after = part.next;
  }
}

interface ContradictionsOfPart {
  readonly found: readonly Contradiction[];
  /** The document after which the next part begins; undefined after the last. */
  readonly next: string | undefined;
}

/** Finds the contradictions in the next 200 documents. */
export async function contradictionsAfter(sides: Sides, after: string): Promise<ContradictionsOfPart> {
  const documents = await listStored(sides.db, after, DOCUMENTS_AT_ONCE);
  const found: (Contradiction | undefined)[] = [];
  for (let at = 0; at < documents.length; at += CONCURRENCY) {
    const some = documents.slice(at, at + CONCURRENCY);
    found.push(...(await Promise.all(some.map((document) => checkTwice(sides, document)))));
  }
  sides.seen(documents.length);
  return {
    found: found.filter((contradiction) => contradiction !== undefined),
    next: documents.length < DOCUMENTS_AT_ONCE ? undefined : documents.at(-1)?.documentId,
  };
}

/**
 * Checks twice: a scan or a deletion may move the bytes between the two reads, so only a repeated contradiction counts.
 */
async function checkTwice(sides: Sides, document: StoredDocument): Promise<Contradiction | undefined> {
  if (!(await check(sides, document))) return undefined;
  const now = await findStored(sides.db, document.documentId);
  return now && (await check(sides, now));
}

async function check({ store }: Sides, document: StoredDocument): Promise<Contradiction | undefined> {
  const { documentId, area, key, byteSize, scanStatus } = document;
  const kind = contradictionOf(document, await store.stat(area, key));
  return kind && { kind, documentId, area, key, byteSize, scanStatus };
}

function contradictionOf(
  { area, byteSize, etag, scanStatus }: StoredDocument,
  object: StoredObject | undefined,
): Contradiction['kind'] | undefined {
  if (!object) return 'missing';
  if (object.byteSize !== byteSize) return 'other_size';
  if (object.etag !== etag) return 'other_bytes';
  // During a rescan a document stays in the clean area, but cannot be downloaded.
  const mayBeClean = scanStatus === 'clean' || scanStatus === 'pending_scan';
  return area === 'clean' && !mayBeClean ? 'not_clean' : undefined;
}
