// SQL, because lines are summed, and listed by an indexed expression with their late prices.
import type { SqlSession } from '@supplier/lib/data/postgres';
import type { AccountId, LedgerEntryId } from '@supplier/lib/text/ids';
import type pg from 'pg';
import type { BillingModel } from '../model/ledger.ts';
import { type Month, monthOf, startOf } from '../model/month.ts';
import type { Statement, StatementLine, TotalsByModel } from '../model/statement.ts';
import type { Tables } from '../store/database.ts';
import { LATE_PRICE, monthText, NO_ID, OCCURRED_AT, PENCE, STATEMENT_MONTH } from '../store/ledger.sql.ts';

type Sql = Pick<pg.Pool, 'query'>;

export interface Closing {
  /** When the month was closed, explicitly or together with a later month; null while it is open. */
  readonly closedAt: Date | null;
  /** The stored totals; undefined unless the month was closed explicitly. */
  readonly totals: TotalsByModel | undefined;
}

/** Returns whether a month of an account is closed, and its stored totals. */
export async function findClosing(tx: Tables, accountId: AccountId, month: Month): Promise<Closing> {
  const found = await tx.statement.findFirst({
    where: { accountId, month: { gte: startOf(month) } },
    orderBy: { month: 'asc' },
  });
  const isOwn = found !== null && monthOf(found.month) === month;
  return {
    closedAt: found?.closedAt ?? null,
    totals: isOwn ? (found.totals as TotalsByModel) : undefined,
  };
}

export async function sumLines(tx: SqlSession, accountId: AccountId, month: Month): Promise<TotalsByModel> {
  const { rows } = await tx.query<Record<string, string> & { billing_model: BillingModel }>(
    `SELECT e.billing_model,
            count(*) FILTER (WHERE e.kind = 'charge') AS charges,
            COALESCE(sum(${PENCE}) FILTER (WHERE e.kind = 'charge'), 0) AS charged_pence,
            count(*) FILTER (WHERE e.kind = 'credit') AS credits,
            COALESCE(sum(${PENCE}) FILTER (WHERE e.kind = 'credit'), 0) AS credited_pence,
            count(*) FILTER (WHERE ${PENCE} IS NULL) AS unpriced
       FROM ledger_entry e ${LATE_PRICE}
      WHERE e.account_id = $1::uuid AND ${STATEMENT_MONTH} = $2::date GROUP BY e.billing_model`,
    [accountId, `${month}-01`],
  );
  return Object.fromEntries(
    rows.map((row) => [
      row.billing_model,
      {
        charges: Number(row.charges),
        chargedPence: Number(row.charged_pence),
        credits: Number(row.credits),
        creditedPence: Number(row.credited_pence),
        unpriced: Number(row.unpriced),
      },
    ]),
  );
}

/** Returns the first month before `month` that is open and has lines. */
export async function findEarlierOpenMonth(
  tx: SqlSession,
  accountId: AccountId,
  month: Month,
): Promise<Month | undefined> {
  const { rows } = await tx.query<{ month: Month }>(
    `SELECT ${monthText(STATEMENT_MONTH)} AS month FROM ledger_entry e
      WHERE e.account_id = $1::uuid AND ${STATEMENT_MONTH} < $2::date
        AND ${STATEMENT_MONTH} > COALESCE(
          (SELECT max(s.month) FROM statement s WHERE s.account_id = $1::uuid), '-infinity')
      ORDER BY ${STATEMENT_MONTH} LIMIT 1`,
    [accountId, `${month}-01`],
  );
  return rows[0]?.month;
}

/** Stores a month as closed. The caller must hold the account's ledger lock. */
export async function insertStatement(
  tx: Tables,
  { accountId, month, closedAt, byModel }: Statement & { readonly closedAt: Date },
): Promise<void> {
  await tx.statement.create({
    data: { accountId, month: startOf(month), closedAt, totals: JSON.parse(JSON.stringify(byModel)) },
  });
}

/** The line after which a page begins. */
export interface LinePosition {
  readonly entryId: LedgerEntryId;
  /** The time as the database writes it, which can be infinite. */
  readonly at: string;
}

/** Returns the position of a statement line by its id; undefined when this statement does not contain it. */
export async function findLine(
  sql: Sql,
  accountId: AccountId,
  month: Month,
  entryId: LedgerEntryId,
): Promise<LinePosition | undefined> {
  const { rows } = await sql.query<LinePosition>({
    name: 'find-line',
    text: `SELECT e.id AS "entryId", e.occurred_at::text AS at FROM ledger_entry e
            WHERE e.id = $3 AND e.account_id = $1 AND ${STATEMENT_MONTH} = $2::date`,
    values: [accountId, `${month}-01`, entryId],
  });
  return rows[0];
}

/** Returns lines of a month after a position, ordered by time, then id. */
export async function listLines(
  sql: Sql,
  accountId: AccountId,
  month: Month,
  after: LinePosition | undefined,
  limit: number,
): Promise<(StatementLine & LinePosition)[]> {
  const { rows } = await sql.query<StatementLine & LinePosition>({
    name: after ? 'list-lines' : 'list-first-lines',
    text: `SELECT e.id AS "entryId", e.submission_id AS "submissionId", e.kind, e.billing_model AS "billingModel",
                  ${OCCURRED_AT} AS "occurredAt", e.occurred_at::text AS at, ${PENCE} AS pence
             FROM ledger_entry e ${LATE_PRICE}
            WHERE e.account_id = $1 AND ${STATEMENT_MONTH} = $2::date
              AND (e.occurred_at, e.id) ${after ? '>' : '>='} ($3::timestamptz, $4::uuid)
            ORDER BY e.occurred_at, e.id LIMIT $5`,
    values: [accountId, `${month}-01`, after?.at ?? '-infinity', after?.entryId ?? NO_ID, limit],
  });
  return rows;
}
