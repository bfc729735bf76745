// SQL, because the partial indexes of retention need literal states.
import type { SqlSession } from '@supplier/lib/data/postgres';
import type { DocumentId, SubmissionId } from '@supplier/lib/text/ids';
import type { Database, Transaction } from '../store/database.ts';
import { type DocumentRow, documentFromRow } from '../store/document-rows.ts';

/** The database through Prisma and through `pg`. */
interface Stores {
  readonly db: Database;
  readonly pool: SqlSession;
}

/**
 * Returns up to `limit` documents that were reserved at or before `abandonedSince` and never finalized, oldest first,
 * except those held back until after `now`.
 */
export async function findAbandoned(
  { db, pool }: Stores,
  abandonedSince: Date,
  now: Date,
  limit: number,
): Promise<DocumentRow[]> {
  const { rows } = await pool.query<{ id: DocumentId }>(
    `SELECT id FROM document
      WHERE state = 'awaiting_upload' AND created_at <= $1 AND (held_back_until IS NULL OR held_back_until <= $2)
      ORDER BY created_at LIMIT $3`,
    [abandonedSince, now, limit],
  );
  return readDocuments(db, rows);
}

/**
 * Returns up to `limit` documents past their retention, earliest finalized first: finalized at or before
 * `retainedSince`, or found infected or scan_failed at or before `refusedSince`. Excludes documents held back until
 * after `now`.
 */
export async function findExpired(
  { db, pool }: Stores,
  { retainedSince, refusedSince }: { readonly retainedSince: Date; readonly refusedSince: Date },
  now: Date,
  limit: number,
): Promise<DocumentRow[]> {
  const { rows } = await pool.query<{ id: DocumentId }>(
    `SELECT id FROM document
      WHERE state = 'finalized' AND (held_back_until IS NULL OR held_back_until <= $3)
        AND (finalized_at <= $1
          OR (finalized_at <= $2 AND scanned_at <= $2 AND scan_status IN ('infected', 'scan_failed')))
      ORDER BY finalized_at LIMIT $4`,
    [retainedSince, refusedSince, now, limit],
  );
  return readDocuments(db, rows);
}

/** A document whose submission may or may not have been accepted. */
export interface UnknownAcceptance extends DocumentRow {
  readonly submissionId: SubmissionId;
}

/**
 * Returns up to `limit` documents that were finalized at or before `since` and whose submissions are not known to be
 * accepted.
 */
export async function findWithUnknownAcceptance(
  { db, pool }: Stores,
  since: Date,
  now: Date,
  limit: number,
): Promise<UnknownAcceptance[]> {
  const { rows } = await pool.query<{ id: DocumentId }>(
    `SELECT id FROM document
      WHERE state = 'finalized' AND submission_accepted IS NULL AND finalized_at <= $1
        AND (held_back_until IS NULL OR held_back_until <= $2)
      ORDER BY finalized_at LIMIT $3`,
    [since, now, limit],
  );
  const documents = await readDocuments(db, rows);
  return documents.map((document) => ({ ...document, submissionId: document.submissionId as SubmissionId }));
}

/** Records that the submissions of these documents were accepted, which is permanent. */
export async function markAccepted(db: Database, ids: readonly DocumentId[]): Promise<void> {
  if (ids.length === 0) return;
  await db.document.updateMany({ where: { id: { in: [...ids] } }, data: { submissionAccepted: true } });
}

/** Excludes documents under legal hold from sweeps until that time, so that they do not block those behind them. */
export async function holdBack(tx: Transaction, ids: readonly DocumentId[], until: Date): Promise<void> {
  if (ids.length === 0) return;
  await tx.document.updateMany({ where: { id: { in: [...ids] } }, data: { heldBackUntil: until } });
}

async function readDocuments(db: Database, ids: readonly { id: DocumentId }[]): Promise<DocumentRow[]> {
  const rows = await db.document.findMany({ where: { id: { in: ids.map(({ id }) => id) } } });
  return rows.map(documentFromRow);
}

/**
 * Removes the rows of up to `limit` documents that were deleted at or before `since` and never finalized, earliest
 * deleted first, except those whose bytes the store still has to remove. Resolves to how many.
 */
export async function forgetAbandoned(pool: SqlSession, since: Date, limit: number): Promise<number> {
  const { rowCount } = await pool.query(
    `DELETE FROM document WHERE id IN (
       SELECT id FROM document AS d
        WHERE state = 'deleted' AND finalized_at IS NULL AND deleted_at <= $1
          AND NOT EXISTS (SELECT FROM object_removal AS r WHERE r.document_id = d.id)
        ORDER BY deleted_at LIMIT $2 FOR UPDATE SKIP LOCKED)`,
    [since, limit],
  );
  return rowCount ?? 0;
}
