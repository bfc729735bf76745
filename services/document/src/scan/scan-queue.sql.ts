// SQL, because scans are claimed in turn, by the database's clock.
import { enqueue, inTransaction, type SqlSession } from '@supplier/lib/data/postgres';
import type { AccountId, DocumentId, SubmissionId } from '@supplier/lib/text/ids';
import type { Pool } from 'pg';
import type { EnvironmentName } from '../model/enum-mapping.ts';
import { MAX_SCAN_TRIES } from '../model/scan-result.ts';
import { NOW } from '../store/database.ts';

/** A scan that the caller has claimed until its lease ends. */
export interface ClaimedScan {
  readonly documentId: DocumentId;
  readonly accountId: AccountId;
  readonly environment: EnvironmentName;
  readonly submissionId: SubmissionId;
  readonly contentType: string;
  readonly byteSize: number;
  /** Location of the bytes. */
  readonly object: { readonly area: 'held' | 'clean'; readonly key: string; readonly etag: string };
  /** Starts at 1; a later claim of the document has a higher number. */
  readonly attempt: number;
  /** Scans since the last result that may have failed because of the document, including this one. */
  readonly tries: number;
  readonly leaseUntil: Date;
}

export interface ClaimRequest {
  readonly environments: readonly EnvironmentName[];
  /** The account that follows this one in id order has the next turn. */
  readonly after: AccountId | undefined;
  /** Accounts that have used their share of the scanner. */
  readonly except: readonly AccountId[];
  /** How long no other scanner may claim it. */
  readonly leaseMs: number;
}

type Row = Omit<ClaimedScan, 'byteSize' | 'object'> & ClaimedScan['object'] & { readonly byteSize: string };

const FIRST_ID = '00000000-0000-0000-0000-000000000000';
/** Serialises the claims of all scanners, since concurrent claims would not see each other. The number is arbitrary. */
const CLAIMS = 5_361_901n;

/**
 * Claims one document that is due for a scan, or whose lease has ended without a result. Takes the longest-waiting
 * document of the account whose turn it is, even if another account has many more documents. Of the documents with a
 * failed scan, only one at a time is claimed across all scanners: such a document may crash its scanner, and must not
 * crash all. The try count is committed with the claim, so that a lost scanner has used its try. Undefined when there
 * is none.
 */
export async function claimScan(pool: Pool, request: ClaimRequest): Promise<ClaimedScan | undefined> {
  const { environments, after = FIRST_ID, except, leaseMs } = request;
  const { rows } = await inTransaction(pool, (tx) => {
    enqueue(tx, { text: 'SELECT pg_advisory_xact_lock($1)', values: [CLAIMS] });
    return tx.query<Row>(CLAIM, [environments, except, after, leaseMs]);
  });
  const [row] = rows;
  if (!row) return undefined;
  const { byteSize, area, key, etag, ...scan } = row;
  return { ...scan, byteSize: Number(byteSize), object: { area, key, etag } };
}

const CLAIM = `
  WITH RECURSIVE bound AS (
    SELECT CASE WHEN EXISTS (SELECT FROM document WHERE scan_lease_until > ${NOW} AND scan_tries > 1)
                THEN 0 ELSE ${MAX_SCAN_TRIES - 1} END AS max_tries
  ), waiting AS (
    (SELECT account_id, environment FROM document WHERE scan_due_at IS NOT NULL
      ORDER BY account_id, environment LIMIT 1)
    UNION ALL
    (SELECT next.* FROM waiting w, LATERAL (
       SELECT account_id, environment FROM document
        WHERE scan_due_at IS NOT NULL AND (account_id, environment) > (w.account_id, w.environment)
        ORDER BY account_id, environment LIMIT 1) AS next)
  ), turn AS (
    (SELECT first.id, w.account_id FROM waiting w, LATERAL (
       SELECT id FROM document d
        WHERE d.account_id = w.account_id AND d.environment = w.environment
          AND scan_due_at <= ${NOW} AND scan_tries <= (SELECT max_tries FROM bound)
        ORDER BY scan_due_at LIMIT 1) AS first
      WHERE w.environment = ANY($1::environment[]) AND NOT w.account_id = ANY($2::uuid[]))
    UNION ALL
    (SELECT id, account_id FROM document
      WHERE scan_lease_until <= ${NOW} AND scan_tries <= (SELECT max_tries FROM bound)
        AND environment = ANY($1::environment[]) AND NOT account_id = ANY($2::uuid[])
      LIMIT 1)
  ), next AS (
    SELECT id, row_number() OVER (ORDER BY account_id > $3::uuid DESC, account_id) AS place
      FROM turn ORDER BY place LIMIT 5
  ), due AS (
    SELECT d.id FROM document d JOIN next USING (id)
     WHERE scan_due_at <= ${NOW} OR scan_lease_until <= ${NOW}
     ORDER BY place LIMIT 1 FOR UPDATE OF d SKIP LOCKED
  )
  UPDATE document d
     SET scan_attempt = d.scan_attempt + 1, scan_tries = d.scan_tries + 1,
         scan_due_at = NULL, scan_lease_until = ${NOW} + $4 * interval '1 millisecond'
    FROM due WHERE d.id = due.id
  RETURNING d.id AS "documentId", d.account_id AS "accountId", d.environment,
            d.submission_id AS "submissionId", d.content_type AS "contentType", d.byte_size AS "byteSize",
            d.area, d.held_key AS key, d.etag, d.scan_attempt AS attempt,
            d.scan_tries AS tries, d.scan_lease_until AS "leaseUntil"`;

/** The cause of a scan without a result: possibly the document, or something unrelated to it. */
export type Blame = 'document' | 'elsewhere';

/**
 * Releases a claimed scan, so that any scanner can claim it after `delayMs`. A document that may have caused its fifth
 * failure is parked instead. Resolves to whether it is parked. Changes nothing when another scanner has claimed it.
 */
export async function releaseScan(
  pool: SqlSession,
  { documentId, attempt, tries }: ClaimedScan,
  { blame, delayMs }: { readonly blame: Blame; readonly delayMs: number },
): Promise<boolean> {
  const parks = blame === 'document' && tries >= MAX_SCAN_TRIES;
  const triesLeft = blame === 'elsewhere' ? tries - 1 : tries;
  const { rowCount } = await pool.query(
    `UPDATE document
        SET scan_lease_until = NULL, scan_tries = $3,
            scan_parked_at = CASE WHEN $4 THEN ${NOW} END,
            scan_due_at = CASE WHEN NOT $4 THEN ${NOW} + $5 * interval '1 millisecond' END
      WHERE id = $1 AND scan_attempt = $2 AND scan_lease_until IS NOT NULL`,
    [documentId, attempt, triesLeft, parks, delayMs],
  );
  return parks && rowCount === 1;
}

/** Parks documents whose scanner was lost in their last try. Resolves to the submissions of those documents. */
export async function parkLostScans(pool: SqlSession): Promise<SubmissionId[]> {
  const { rows } = await pool.query<{ submission_id: SubmissionId }>(
    `UPDATE document SET scan_lease_until = NULL, scan_parked_at = ${NOW}
      WHERE scan_lease_until <= ${NOW} AND scan_tries >= ${MAX_SCAN_TRIES}
     RETURNING submission_id`,
  );
  return rows.map(({ submission_id }) => submission_id);
}

/**
 * Queues a document that has a scan result or is parked for another scan, with its tries reset; resolves to false for a
 * document in any other state.
 */
export async function queueRescan(tx: SqlSession, documentId: DocumentId): Promise<boolean> {
  const { rowCount } = await tx.query(
    `UPDATE document
        SET scan_status = 'pending_scan', scan_due_at = ${NOW}, scan_tries = 0, scan_parked_at = NULL,
            scan_reason = NULL, scan_rule = NULL, scan_part = NULL, signature = NULL, scanned_at = NULL
      WHERE id = $1 AND state = 'finalized' AND (scan_status <> 'pending_scan' OR scan_parked_at IS NOT NULL)`,
    [documentId],
  );
  return rowCount === 1;
}

/** Documents without a scan result. */
export interface WaitingScans {
  /** At most 100,000, so that counting a large backlog stays cheap. */
  readonly count: number;
  /** Seconds since the oldest was finalized; 0 when there is none. */
  readonly oldestSeconds: number;
  /** Parked documents, which are not included in the count. */
  readonly parked: number;
}

const MAX_COUNTED = 100_000;

/**
 * Counts the documents awaiting their scan at `now`, including those being scanned, and returns the age of the oldest.
 */
export async function countWaitingScans(pool: SqlSession, now: Date): Promise<WaitingScans> {
  const { rows } = await pool.query<{ count: number; oldest: Date | null; parked: number }>(
    `SELECT count(*)::int AS count, min(finalized_at) AS oldest,
            (SELECT count(*)::int FROM document WHERE scan_parked_at IS NOT NULL AND state = 'finalized') AS parked
       FROM (SELECT finalized_at FROM document
              WHERE scan_due_at IS NOT NULL OR scan_lease_until IS NOT NULL LIMIT ${MAX_COUNTED}) AS waiting`,
  );
  const [row] = rows;
  const ageMs = row?.oldest ? now.getTime() - row.oldest.getTime() : 0;
  return { count: row?.count ?? 0, oldestSeconds: Math.max(0, ageMs / 1_000), parked: row?.parked ?? 0 };
}
