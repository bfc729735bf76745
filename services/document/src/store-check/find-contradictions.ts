import type { Database } from '../db/database.ts';
import { findKept, type KeptDocument, listKept } from '../db/list-kept.ts';
import type { ObjectStore, StoredObject } from '../object-store/object-store.ts';
import type { Contradiction } from './exception.ts';

const BATCH = 200;
/** Questions to the store at once. */
const LANES = 8;
const FIRST = '00000000-0000-0000-0000-000000000000';

interface Sides {
  readonly db: Database;
  readonly store: ObjectStore;
  /** Is told how many documents were looked at. */
  readonly seen: (count: number) => void;
}

/** The finalized documents whose bytes are not in the store as the database has them, 200 documents at a time. */
export async function* findContradictions(sides: Sides): AsyncGenerator<Contradiction> {
  let after = FIRST;
  for (;;) {
    const documents = await listKept(sides.db, after, BATCH);
    for (let at = 0; at < documents.length; at += LANES) {
      const some = documents.slice(at, at + LANES);
      const found = await Promise.all(some.map((document) => lookTwice(sides, document)));
      yield* found.filter((contradiction) => contradiction !== undefined);
    }
    sides.seen(documents.length);
    after = documents.at(-1)?.documentId ?? after;
    if (documents.length < BATCH) return;
  }
}

/** A scan or a deletion may move the bytes between the two looks: only what is still so the second time counts. */
async function lookTwice(sides: Sides, document: KeptDocument): Promise<Contradiction | undefined> {
  if (!(await look(sides, document))) return undefined;
  const now = await findKept(sides.db, document.documentId);
  return now && (await look(sides, now));
}

async function look({ store }: Sides, document: KeptDocument): Promise<Contradiction | undefined> {
  const { documentId, area, key, byteSize, scanStatus } = document;
  const kind = contradictionOf(document, await store.stat(area, key));
  return kind && { kind, documentId, area, key, byteSize, scanStatus };
}

function contradictionOf(
  { area, byteSize, etag, scanStatus }: KeptDocument,
  object: StoredObject | undefined,
): Contradiction['kind'] | undefined {
  if (!object) return 'missing';
  if (object.byteSize !== byteSize) return 'other_size';
  if (object.etag !== etag) return 'other_bytes';
  // One that is being scanned again stays where it is, and is given to nobody meanwhile.
  const mayBeClean = scanStatus === 'clean' || scanStatus === 'pending_scan';
  return area === 'clean' && !mayBeClean ? 'not_clean' : undefined;
}
