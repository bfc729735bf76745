// SQL, because the partial index of waiting documents needs literal states.
import { boundedPage, type Examined } from '@supplier/lib/rpc/page-token';
import type { AccountId, DocumentId, SubmissionId } from '@supplier/lib/text/ids';
import type pg from 'pg';
import type { CategoryName, EnvironmentName } from '../model/enum-mapping.ts';

/** Maximum number of documents examined for one page. */
const MAX_EXAMINED = 5_000;
const BEFORE_ALL = { finalizedAt: new Date(0), documentId: '00000000-0000-0000-0000-000000000000' };

/** Conditions on a waiting document; undefined matches anything. */
export interface WaitingFilter {
  readonly accountId: AccountId | undefined;
  readonly environment: EnvironmentName | undefined;
  /** Whether the document is parked, so that no scanner tries it. */
  readonly parked: boolean | undefined;
}

export interface WaitingPosition {
  readonly finalizedAt: Date;
  readonly documentId: DocumentId;
}

/** A document without a scan result, excluding its filename. */
export interface WaitingRow {
  readonly id: DocumentId;
  readonly account_id: AccountId;
  readonly environment: EnvironmentName;
  readonly external_reference: string;
  readonly submission_id: SubmissionId | null;
  readonly category: CategoryName;
  readonly content_type: string;
  /** A 64-bit number, which the driver returns as text. */
  readonly byte_size: string;
  readonly finalized_at: Date;
  readonly scan_attempt: number;
  readonly scan_parked_at: Date | null;
}

const COLUMNS = `id, account_id, environment::text AS environment, external_reference, submission_id,
  category::text AS category, content_type, byte_size, finalized_at, scan_attempt, scan_parked_at`;

/**
 * Returns matching documents awaiting their scan, first finalized first: up to `limit` after `after`, and the position
 * after which the next page begins; undefined on the last page.
 */
export async function listWaitingDocuments(
  pool: Pick<pg.Pool, 'query'>,
  { accountId, environment, parked }: WaitingFilter,
  after: WaitingPosition | undefined,
  limit: number,
): Promise<{ rows: WaitingRow[]; next: WaitingPosition | undefined }> {
  const { finalizedAt, documentId } = after ?? BEFORE_ALL;
  const { rows } = await pool.query<WaitingRow & Examined>({
    text: `
      SELECT d.*, d.place = ${MAX_EXAMINED} AS is_last
        FROM (SELECT w.*, row_number() OVER (ORDER BY w.finalized_at, w.id) AS place,
                     ($3::uuid IS NULL OR w.account_id = $3) AND ($4::text IS NULL OR w.environment = $4)
                     AND ($5::boolean IS NULL OR (w.scan_parked_at IS NOT NULL) = $5) AS matches
                FROM (SELECT ${COLUMNS} FROM document
                       WHERE state = 'finalized' AND scan_status = 'pending_scan'
                         AND (finalized_at, id) > ($1::timestamptz, $2::uuid)
                       ORDER BY finalized_at, id LIMIT ${MAX_EXAMINED}) AS w) AS d
       WHERE d.matches OR d.place = ${MAX_EXAMINED}
       ORDER BY d.finalized_at, d.id LIMIT ${limit + 1}`,
    values: [finalizedAt, documentId, accountId ?? null, environment ?? null, parked ?? null],
  });
  const { page, next } = boundedPage(rows, limit);
  return { rows: page, next: next && { finalizedAt: next.finalized_at, documentId: next.id } };
}
