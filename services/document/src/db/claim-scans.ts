import type { AccountId, DocumentId, SubmissionId } from '@supplier/lib/ids';
import type { EnvironmentName } from '../domain/environment.ts';
import type { Database } from './database.ts';

/** A scan that is the caller's to make until its lease ends. */
export interface ClaimedScan {
  readonly documentId: DocumentId;
  readonly accountId: AccountId;
  readonly environment: EnvironmentName;
  readonly submissionId: SubmissionId;
  readonly contentType: string;
  readonly byteSize: number;
  /** Where the bytes lie. */
  readonly object: { readonly area: 'held' | 'clean'; readonly key: string; readonly etag: string };
  /** From 1; a later claim of the document has a higher one. */
  readonly attempt: number;
  readonly leaseUntil: Date;
}

export interface ScanAsk {
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
 * Claims up to `limit` documents that are due for a scan, or whose scan was lost with its scanner, those that wait
 * longest first. What somebody else is claiming is skipped.
 */
export async function claimScans(db: Database, ask: ScanAsk): Promise<ClaimedScan[]> {
  const { environments, limit, now, leaseUntil } = ask;
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
