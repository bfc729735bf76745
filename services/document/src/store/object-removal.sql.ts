// SQL, because a copy is scheduled under the lock of its document, and claims skip locked rows.
import type { SqlSession } from '@supplier/lib/data/postgres';
import type { DocumentId } from '@supplier/lib/text/ids';
import type { Area } from '../object-store/object-store.ts';
import type { Database, Transaction } from './database.ts';

/** An unreferenced object, and the earliest time at which it may be removed from the store. */
export interface ObjectRemoval {
  readonly area: Area;
  readonly objectKey: string;
  readonly dueAt: Date;
}

/** A removal and the document of the object, by which erasure finds it. */
export interface RemovalOfDocument extends ObjectRemoval {
  readonly documentId: DocumentId;
}

/**
 * Schedules the removal of objects whose last reference the transaction removes. Leaves scheduled removals unchanged.
 */
export async function scheduleRemovals(
  tx: Transaction,
  removals: readonly (ObjectRemoval | RemovalOfDocument)[],
): Promise<void> {
  await tx.objectRemoval.createMany({ data: [...removals], skipDuplicates: true });
}

/** The state that a document must be in before its bytes are copied. */
export type CopyFence =
  | { readonly state: 'awaiting_upload' }
  | { readonly state: 'finalized'; readonly scanAttempt: number };

/**
 * Schedules the removal of a copy before it is made, so that a process that crashes in between leaves no orphan.
 * Resolves to false when the document is in another state; the copy must not be made then. Locks the document's row, so
 * that an erasure either comes first or finds the copy.
 */
export async function scheduleCopyRemoval(
  pool: SqlSession,
  { documentId, area, objectKey, dueAt }: RemovalOfDocument,
  fence: CopyFence,
  now: Date,
): Promise<boolean> {
  const attempt = fence.state === 'finalized' ? fence.scanAttempt : null;
  const { rowCount } = await pool.query(
    `INSERT INTO object_removal (area, object_key, due_at, document_id, copy_begun_at)
     SELECT $1::store_area, $2, $3::timestamptz, id, $4::timestamptz FROM document
      WHERE id = $5 AND state = $6
        AND ($7::int IS NULL OR (scan_attempt = $7 AND scan_lease_until IS NOT NULL))
        FOR SHARE`,
    [area, objectKey, dueAt, now, documentId, fence.state, attempt],
  );
  return rowCount === 1;
}

/**
 * Cancels the removal of a copy that the transaction refers to. Resolves to false when the removal was carried out or
 * claimed meanwhile: the bytes are gone or about to be, and the copy must not be referred to.
 */
export async function cancelRemoval(tx: Transaction, removal: ObjectRemoval): Promise<boolean> {
  const { area, objectKey, dueAt } = removal;
  const { count } = await tx.objectRemoval.deleteMany({ where: { area, objectKey, dueAt } });
  return count === 1;
}

/**
 * Claims up to `limit` removals that are due at `now`, longest due first. They cannot be claimed again until `until`,
 * when a failed removal is retried.
 */
export async function claimRemovals(
  pool: SqlSession,
  { now, until, limit }: { readonly now: Date; readonly until: Date; readonly limit: number },
): Promise<ObjectRemoval[]> {
  const { rows } = await pool.query<{ area: Area; object_key: string }>(
    `UPDATE object_removal SET due_at = $1
      WHERE (area, object_key) IN (
        SELECT area, object_key FROM object_removal WHERE due_at <= $2
         ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED)
     RETURNING area, object_key`,
    [until, now, limit],
  );
  return rows.map(({ area, object_key }) => ({ area, objectKey: object_key, dueAt: until }));
}

/** Deletes a completed removal, unless it was scheduled or claimed again. */
export async function completeRemoval(db: Database, removal: ObjectRemoval): Promise<void> {
  const { area, objectKey, dueAt } = removal;
  await db.objectRemoval.deleteMany({ where: { area, objectKey, dueAt } });
}
