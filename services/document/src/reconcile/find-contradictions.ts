import type { ObjectStore, StoredObject } from '../object-store/object-store.ts';
import type { Database } from '../store/database.ts';
import type { Contradiction } from './exception.ts';
import { findStored, listStored, type StoredDocument } from './store-comparison.sql.ts';

const BATCH = 200;
/** Requests to the store at once. */
const CONCURRENCY = 8;
/** Before the id of every document. */
export const FIRST_DOCUMENT = '00000000-0000-0000-0000-000000000000';

interface Sides {
  readonly db: Database;
  readonly store: ObjectStore;
  /** Called with the number of documents that were checked. */
  readonly seen: (count: number) => void;
}

/** The finalized documents whose bytes in the store differ from the database, read 200 at a time. */
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
  /** The document behind which the next part begins; undefined after the last. */
  readonly next: string | undefined;
}

/** Those of the next 200 documents. */
export async function contradictionsAfter(sides: Sides, after: string): Promise<ContradictionsOfPart> {
  const documents = await listStored(sides.db, after, BATCH);
  const found: (Contradiction | undefined)[] = [];
  for (let at = 0; at < documents.length; at += CONCURRENCY) {
    const some = documents.slice(at, at + CONCURRENCY);
    found.push(...(await Promise.all(some.map((document) => checkTwice(sides, document)))));
  }
  sides.seen(documents.length);
  return {
    found: found.filter((contradiction) => contradiction !== undefined),
    next: documents.length < BATCH ? undefined : documents.at(-1)?.documentId,
  };
}

/** A scan or a deletion may move the bytes between the two reads: only a contradiction that is found twice counts. */
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
  // During a rescan a document stays in the clean area, and cannot be downloaded.
  const mayBeClean = scanStatus === 'clean' || scanStatus === 'pending_scan';
  return area === 'clean' && !mayBeClean ? 'not_clean' : undefined;
}
