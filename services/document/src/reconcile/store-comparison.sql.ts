// SQL, because a page of keys is compared with two tables in one statement.
import type { SqlSession } from '@supplier/lib/data/postgres';
import type { AccountId, SubmissionId } from '@supplier/lib/text/ids';
import type { Area } from '../object-store/object-store.ts';
import type { Database } from '../store/database.ts';
import type { SubmissionOwner } from '../submission-client.ts';

/** A document whose bytes must be in the store. */
export interface StoredDocument {
  readonly documentId: string;
  readonly area: Area;
  readonly key: string;
  readonly etag: string;
  readonly byteSize: number;
  readonly scanStatus: 'pending_scan' | 'clean' | 'infected' | 'scan_failed';
}

/** Returns up to `limit` finalized documents after the id `after`, ordered by id. */
export async function listStored(db: Database, after: string, limit: number): Promise<StoredDocument[]> {
  const rows = await db.document.findMany({
    where: { state: 'finalized', id: { gt: after } },
    orderBy: { id: 'asc' },
    take: limit,
    select: COLUMNS,
  });
  return rows.flatMap(storedOf);
}

export interface OwnedDocument extends SubmissionOwner {
  readonly documentId: string;
  readonly submissionId: SubmissionId;
}

/** Returns up to `limit` finalized documents after the id `after`, ordered by id. */
export async function listOwned(db: Database, after: string, limit: number): Promise<OwnedDocument[]> {
  const rows = await db.document.findMany({
    where: { state: 'finalized', id: { gt: after } },
    orderBy: { id: 'asc' },
    take: limit,
    select: { id: true, submissionId: true, accountId: true, environment: true },
  });
  return rows.map(({ id: documentId, submissionId, accountId, environment }) => ({
    documentId,
    submissionId: submissionId as SubmissionId,
    accountId: accountId as AccountId,
    environment,
  }));
}

/** Returns the current state of the document; undefined when its bytes need not be in the store any more. */
export async function findStored(db: Database, documentId: string): Promise<StoredDocument | undefined> {
  const row = await db.document.findFirst({ where: { id: documentId, state: 'finalized' }, select: COLUMNS });
  return row ? storedOf(row)[0] : undefined;
}

const COLUMNS = {
  id: true,
  area: true,
  heldKey: true,
  etag: true,
  byteSize: true,
  scanStatus: true,
} as const;

interface Row {
  readonly id: string;
  readonly area: Area | null;
  readonly heldKey: string | null;
  readonly etag: string | null;
  readonly byteSize: bigint;
  readonly scanStatus: StoredDocument['scanStatus'] | null;
}

function storedOf({ id: documentId, area, heldKey: key, etag, byteSize, scanStatus }: Row): StoredDocument[] {
  // A check constraint guarantees that a finalized document has all of these.
  if (area === null || key === null || etag === null || scanStatus === null) return [];
  return [{ documentId, area, key, etag, byteSize: Number(byteSize), scanStatus }];
}

/**
 * Returns the `keys` without a reference: neither a document's bytes nor a scheduled removal. At most a thousand keys
 * per call.
 */
export async function findUnreferenced(
  pool: SqlSession,
  area: Area,
  keys: readonly string[],
): Promise<string[]> {
  const { rows } = await pool.query<{ key: string }>(
    `SELECT key FROM unnest($1::text[]) AS listed(key)
      WHERE NOT EXISTS (
          SELECT FROM object_removal r WHERE r.area = $2::store_area AND r.object_key = listed.key)
        AND CASE WHEN $2 = 'incoming'
          THEN NOT EXISTS (
            SELECT FROM document d WHERE d.object_key = listed.key AND d.state = 'awaiting_upload')
          ELSE NOT EXISTS (
            SELECT FROM document d
             WHERE d.held_key = listed.key AND d.area = $2 AND d.state = 'finalized')
          END`,
    [keys, area],
  );
  return rows.map(({ key }) => key);
}
