// SQL, because lines are posted in sets and priced in the same statement.
import { columnMap, enqueue, type SqlSession } from '@supplier/lib/data/postgres';
import type { AccountId, SubmissionId } from '@supplier/lib/text/ids';
import type { Clock } from '@supplier/lib/text/time';
import type pg from 'pg';
import type { NewLine, PostedLine } from '../model/ledger.ts';
import type { ComparedLine } from '../model/reconciliation.ts';

/** The statement month of a ledger line `e`. An index uses this exact expression. */
export const STATEMENT_MONTH = `COALESCE(e.statement_month, date_trunc('month', e.occurred_at AT TIME ZONE 'UTC')::date)`;

/** The price of a line `e` with its late price `l`; null when no price covers its time. */
export const PENCE = 'COALESCE(e.pence, l.pence)';
export const LATE_PRICE = 'LEFT JOIN line_price l ON l.entry_id = e.id';

export const monthText = (date: string): string => `to_char(${date}, 'YYYY-MM')`;

/**
 * The statement month of a new line: the month in which it occurred, or the first month after the last closed one if
 * that is later.
 */
export const openMonthAt = (account: string, at: string): string => `
  GREATEST(date_trunc('month', ${at} AT TIME ZONE 'UTC')::date,
    (SELECT (max(s.month) + INTERVAL '1 month')::date FROM statement s WHERE s.account_id = ${account}))`;

/** The price of a submission of $account and $model at a time, or null; for use in a SELECT list. */
export const penceAt = (account: string, model: string, at: string): string => `
  (SELECT p.pence FROM price p
    WHERE p.account_id = ${account} AND p.billing_model = ${model} AND p.effective_from <= ${at}
    ORDER BY p.effective_from DESC, p.sequence DESC LIMIT 1)`;

/**
 * Posts the lines that the ledger lacks, in one statement; existing lines stay unchanged. A line is on the statement
 * of the month in which it occurred, or of the first later month that is open. A credit has the price of its charge and
 * is not posted without one. Takes the shared ledger locks first, so that no month is closed and no price is set in the
 * meantime. Inserts by submission, charge first: transactions that post the same lines wait for each other and never
 * deadlock.
 */
export function postLines(tx: pg.PoolClient, lines: readonly NewLine[]): void {
  if (lines.length === 0) return;
  shareLedgerLocks(
    tx,
    lines.map(({ accountId }) => accountId),
  );
  enqueue(tx, { name: 'post-lines', text: POST, values: GIVEN.values(lines) });
}

const COLUMNS: Parameters<typeof columnMap<NewLine>>[0] = {
  id: ['uuid', ({ id }) => id],
  submission_id: ['uuid', ({ submissionId }) => submissionId],
  account_id: ['uuid', ({ accountId }) => accountId],
  kind: ['entry_kind', ({ kind }) => kind],
  billing_model: ['billing_model', ({ billingModel }) => billingModel],
  occurred_at: ['timestamptz', ({ occurredAt }) => occurredAt],
  event_id: ['uuid', ({ eventId }) => eventId],
};
const LINE = columnMap(COLUMNS);
const GIVEN = columnMap<NewLine>({ ...COLUMNS, charged_at: ['timestamptz', ({ chargedAt }) => chargedAt] });

// Looks up the charge row by row: the planner of a prepared join could choose to read the whole ledger.
const POST = `
  WITH given AS (
    SELECT ${LINE.names}, COALESCE(
             CASE kind WHEN 'credit' THEN
               (SELECT e.occurred_at FROM ledger_entry e WHERE e.submission_id = g.submission_id AND e.kind = 'charge')
             END, charged_at) AS charged_at
      FROM ${GIVEN.given()})
  INSERT INTO ledger_entry (${LINE.names}, statement_month, pence)
  SELECT ${LINE.names}, ${openMonthAt('g.account_id', 'g.occurred_at')},
         ${penceAt('g.account_id', 'g.billing_model', 'g.charged_at')}
    FROM given g WHERE charged_at IS NOT NULL ORDER BY submission_id, kind
  ON CONFLICT (submission_id, kind) DO NOTHING`;

/**
 * Locks the ledgers of accounts until the transaction ends, shared with other transactions that enter lines: until then
 * no price is set and no month is closed. This needs a separate statement: the next statement sees everything committed
 * by its start, whereas a statement that waits for a lock does not. Every transaction takes the locks in the same
 * order.
 */
export function shareLedgerLocks(tx: pg.PoolClient, accountIds: readonly AccountId[]): void {
  enqueue(tx, {
    name: 'share-ledgers',
    text: `SELECT pg_advisory_xact_lock_shared(key)
             FROM (SELECT DISTINCT ledger_lock_key(id) AS key FROM unnest($1::uuid[]) AS g(id) ORDER BY key) AS locks`,
    values: [[...new Set(accountIds)]],
  });
}

/**
 * Locks the ledger of an account exclusively until the transaction ends: no lines can be entered, and all earlier ones
 * are visible.
 */
export async function lockLedger(tx: SqlSession, accountId: AccountId): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock(ledger_lock_key($1::uuid))', [accountId]);
}

/** The time of a line `e`; null if no line can have it, as databases without the check could contain one. */
export const OCCURRED_AT = `CASE WHEN EXTRACT(year FROM e.occurred_at AT TIME ZONE 'UTC') BETWEEN 2020 AND 9999 THEN e.occurred_at END`;

/** Whether a date is the month of a statement. Others have no text, and no month before or after them. */
export const isMonth = (date: string): string => `${date} BETWEEN '2020-01-01' AND '2199-12-01'`;

/** Returns the ledger lines of a submission, oldest first. */
export async function findLines(
  sql: Pick<pg.Pool, 'query'>,
  submissionId: SubmissionId,
): Promise<PostedLine[]> {
  // Orders by kind because a credit follows its charge, which the times of two transactions need not show.
  const { rows } = await sql.query<PostedLine>({
    name: 'find-lines',
    text: `SELECT e.id, e.kind, ${OCCURRED_AT} AS "occurredAt", e.event_id AS "eventId", ${PENCE} AS pence,
                  CASE WHEN ${isMonth(STATEMENT_MONTH)} THEN ${monthText(STATEMENT_MONTH)} ELSE '' END AS "statementMonth"
             FROM ledger_entry e ${LATE_PRICE} WHERE e.submission_id = $1 ORDER BY e.kind`,
    values: [submissionId],
  });
  return rows;
}

/** The month in which an instant is, as its first day. */
export const monthAt = (at: string): string => `date_trunc('month', ${at} AT TIME ZONE 'UTC')::date`;

/**
 * Whether a line `e` is on the statement of the month in which it occurred, or of a later month that follows one that
 * was closed after its end. A statement of a month that isn't over yet explains nothing.
 */
const isInMonth = (now: string): string => `
  CASE WHEN ${isMonth(STATEMENT_MONTH)} THEN
    ${STATEMENT_MONTH} = ${monthAt('e.occurred_at')}
    OR ${STATEMENT_MONTH} > ${monthAt('e.occurred_at')} AND EXISTS (
      SELECT FROM statement s
       WHERE s.account_id = e.account_id AND s.month = (${STATEMENT_MONTH} - INTERVAL '1 month')::date
         AND s.month < ${monthAt(`LEAST(s.closed_at, ${now})`)})
    ELSE false END`;

const COMPARED = `
  e.submission_id AS "submissionId", e.account_id AS "accountId", e.kind, e.billing_model AS "billingModel",
  ${OCCURRED_AT} AS "occurredAt", ${PENCE} AS pence, ${PENCE} IS NOT DISTINCT FROM ${penceAt(
    'e.account_id',
    'e.billing_model',
    `(SELECT c.occurred_at FROM ledger_entry c WHERE c.submission_id = e.submission_id AND c.kind = 'charge')`,
  )} AS "isPriced", ${isInMonth('$2::timestamptz')} AS "isInMonth"`;

/** Returns all lines of submissions, for a comparison. */
export async function findLinesOf(
  { pool, clock }: { readonly pool: pg.Pool; readonly clock: Clock },
  submissionIds: readonly SubmissionId[],
): Promise<Map<SubmissionId, ComparedLine[]>> {
  const { rows } = await pool.query<ComparedLine>({
    name: 'find-lines-of',
    text: `SELECT ${COMPARED} FROM ledger_entry e ${LATE_PRICE} WHERE e.submission_id = ANY($1::uuid[])`,
    values: [submissionIds, clock.now()],
  });
  return Map.groupBy(rows, ({ submissionId }) => submissionId);
}

/** Sorts before every other id. */
export const NO_ID = '00000000-0000-0000-0000-000000000000';

/** Returns the next `limit` submissions with lines after `after`, or from NO_ID, in the order of their ids. */
export async function listBilledSubmissions(
  sql: Pick<pg.Pool, 'query'>,
  after: string,
  limit: number,
): Promise<SubmissionId[]> {
  const { rows } = await sql.query<{ id: SubmissionId }>({
    text: `SELECT DISTINCT submission_id AS id FROM ledger_entry
            WHERE submission_id ${after === NO_ID ? '>=' : '>'} $1 ORDER BY submission_id LIMIT $2`,
    values: [after, limit],
  });
  return rows.map(({ id }) => id);
}
