import type { AccountId, DocumentId, SubmissionId } from '@supplier/lib/ids';
import type { EnvironmentName } from '../domain/enum-mapping.ts';
import type { Database, Transaction } from './database.ts';

/** A scan that the caller has claimed until its lease ends. */
export interface ClaimedScan {
  readonly documentId: DocumentId;
  readonly accountId: AccountId;
  readonly environment: EnvironmentName;
  readonly submissionId: SubmissionId;
  readonly contentType: string;
  readonly byteSize: number;
  /** Where the bytes are. */
  readonly object: { readonly area: 'held' | 'clean'; readonly key: string; readonly etag: string };
  /** From 1; a later claim of the document has a higher one. */
  readonly attempt: number;
  readonly leaseUntil: Date;
}

/** What a scanner may claim. */
export interface ClaimRequest {
  readonly environments: readonly EnvironmentName[];
  readonly limit: number;
  readonly now: Date;
  readonly leaseUntil: Date;
}

interface Row {
  id: string;
  account_id: string;
  environment: EnvironmentName;
  submission_id: string;
  content_type: string;
  byte_size: bigint;
  area: 'held' | 'clean';
  held_key: string;
  etag: string;
  scan_attempt: number;
}

/**
 * Claims up to `limit` documents that are due for a scan, or whose lease has ended without a result, those that have
 * waited longest first. Skips documents that another scanner is claiming.
 */
export async function claimScans(db: Database, request: ClaimRequest): Promise<ClaimedScan[]> {
  const { environments, limit, now, leaseUntil } = request;
  const rows = await db.$queryRaw<Row[]>`
    WITH "due" AS (
      SELECT "id" FROM "document"
       WHERE ("scan_due_at" <= ${now} OR "scan_lease_until" <= ${now})
         AND "environment"::text = ANY(${[...environments]}::text[])
       ORDER BY COALESCE("scan_due_at", "scan_lease_until")
       LIMIT ${limit}
         FOR UPDATE SKIP LOCKED
    )
    UPDATE "document" AS "d"
       SET "scan_attempt" = "d"."scan_attempt" + 1, "scan_due_at" = NULL, "scan_lease_until" = ${leaseUntil}
      FROM "due" WHERE "d"."id" = "due"."id"
    RETURNING "d"."id", "d"."account_id", "d"."environment"::text, "d"."submission_id", "d"."content_type",
              "d"."byte_size", "d"."area"::text, "d"."held_key", "d"."etag", "d"."scan_attempt"`;
  return rows.map((row) => ({
    documentId: row.id as DocumentId,
    accountId: row.account_id as AccountId,
    environment: row.environment,
    submissionId: row.submission_id as SubmissionId,
    contentType: row.content_type,
    byteSize: Number(row.byte_size),
    object: { area: row.area, key: row.held_key, etag: row.etag },
    attempt: row.scan_attempt,
    leaseUntil,
  }));
}

/** Releases a claimed scan, for any scanner to claim from `dueAt` on. Changes nothing when another has claimed it. */
export async function releaseScan(
  db: Database,
  { documentId, attempt }: ClaimedScan,
  dueAt: Date,
): Promise<void> {
  await db.document.updateMany({
    where: { id: documentId, scanAttempt: attempt, scanLeaseUntil: { not: null } },
    data: { scanLeaseUntil: null, scanDueAt: dueAt },
  });
}

/** Queues a document that has a scan result for another scan; resolves to false for a document in any other state. */
export async function queueRescan(tx: Transaction, documentId: DocumentId, at: Date): Promise<boolean> {
  const { count } = await tx.document.updateMany({
    where: { id: documentId, state: 'finalized', scanStatus: { not: 'pending_scan' } },
    data: { scanStatus: 'pending_scan', scanDueAt: at, scanReason: null, signature: null, scannedAt: null },
  });
  return count === 1;
}

/** Documents without a scan result. */
export interface WaitingScans {
  /** At most 100,000: counting a large backlog must stay cheap. */
  readonly count: number;
  /** Seconds since the oldest of them was finalized; 0 when there is none. */
  readonly oldestSeconds: number;
}

const MAX_COUNTED = 100_000;

/** How many documents wait for their scan at `now`, those that are being scanned included, and for how long. */
export async function countWaitingScans(db: Database, now: Date): Promise<WaitingScans> {
  const [row] = await db.$queryRaw<{ count: number; oldest: Date | null }[]>`
    SELECT count(*)::int AS "count", min("finalized_at") AS "oldest"
      FROM (SELECT "finalized_at" FROM "document"
             WHERE "scan_due_at" IS NOT NULL OR "scan_lease_until" IS NOT NULL LIMIT ${MAX_COUNTED}) AS "waiting"`;
  const ageMs = row?.oldest ? now.getTime() - row.oldest.getTime() : 0;
  return { count: row?.count ?? 0, oldestSeconds: Math.max(0, ageMs / 1_000) };
}
