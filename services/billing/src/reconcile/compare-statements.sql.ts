// SQL, because a page of statements is compared with the sums of their lines in one statement.
import type { Comparison } from '@supplier/lib/governance/reconciliation';
import type { AccountId } from '@supplier/lib/text/ids';
import type pg from 'pg';
import type { Month } from '../model/month.ts';
import { LATE_PRICE, monthText, NO_ID, PENCE, STATEMENT_MONTH } from '../store/ledger.sql.ts';

const STATEMENTS_AT_ONCE = 50;

export interface StatementPosition {
  readonly accountId: AccountId;
  readonly month: Month;
}

/** Sorts before every statement. */
export const FIRST_STATEMENT: StatementPosition = {
  accountId: NO_ID as AccountId,
  month: '0001-01' as Month,
};

/**
 * Compares the next 50 closed statements with the lines that they cover: those of their month, and of the earlier
 * months that were closed with it.
 */
export async function compareStatements(
  pool: Pick<pg.Pool, 'query'>,
  after: StatementPosition,
): ReturnType<Comparison> {
  const { rows } = await pool.query<StatementPosition & { readonly isRight: boolean }>({
    name: 'compare-statements',
    text: COMPARE,
    values: [after.accountId, `${after.month}-01`, STATEMENTS_AT_ONCE],
  });
  const last = rows.length < STATEMENTS_AT_ONCE ? undefined : rows.at(-1);
  const wrong = rows.filter(({ isRight }) => !isRight);
  return {
    compared: rows.length,
    differences: wrong.map(({ accountId, month }) => ({
      what: 'other_totals',
      target: `${accountId} ${month}`,
      accountId,
      explanation: 'the totals of the closed statement differ from its ledger lines',
      repaired: false,
    })),
    next: last ? `statements ${last.accountId} ${last.month}` : '',
  };
}

const COMPARE = `
  SELECT s.account_id AS "accountId", ${monthText('s.month')} AS month,
         s.totals = COALESCE((
           SELECT jsonb_object_agg(m.billing_model, m.totals) FROM (
             SELECT e.billing_model, jsonb_build_object(
                      'charges', count(*) FILTER (WHERE e.kind = 'charge'),
                      'chargedPence', COALESCE(sum(${PENCE}) FILTER (WHERE e.kind = 'charge'), 0),
                      'credits', count(*) FILTER (WHERE e.kind = 'credit'),
                      'creditedPence', COALESCE(sum(${PENCE}) FILTER (WHERE e.kind = 'credit'), 0),
                      'unpriced', count(*) FILTER (WHERE ${PENCE} IS NULL)) AS totals
               FROM ledger_entry e ${LATE_PRICE}
              WHERE e.account_id = s.account_id AND ${STATEMENT_MONTH} <= s.month
                AND ${STATEMENT_MONTH} > COALESCE((SELECT max(b.month) FROM statement b
                      WHERE b.account_id = s.account_id AND b.month < s.month), '-infinity')
              GROUP BY e.billing_model) m), '{}') AS "isRight"
    FROM (SELECT * FROM statement WHERE (account_id, month) > ($1::uuid, $2::date)
           ORDER BY account_id, month LIMIT $3) s
   ORDER BY s.account_id, s.month`;
