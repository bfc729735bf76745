// SQL, because a page of statements is compared with the sums of their lines in one statement.
import type { Comparison } from '@supplier/lib/governance/reconciliation';
import type { AccountId } from '@supplier/lib/text/ids';
import type { Context } from '../context.ts';
import { isMonth, LATE_PRICE, monthAt, NO_ID, PENCE, STATEMENT_MONTH } from '../store/ledger.sql.ts';

const STATEMENTS_AT_ONCE = 50;

export interface StatementPosition {
  readonly accountId: AccountId;
  /** The first day of the month as the database writes it, which can be infinite. */
  readonly month: string;
}

/** Sorts before every statement. */
export const FIRST_STATEMENT: StatementPosition = {
  accountId: NO_ID as AccountId,
  month: '-infinity',
};

/**
 * Compares the next 50 closed statements with the lines that they cover: those of their month, and of the earlier
 * months that were closed with it.
 */
export async function compareStatements(
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  after: StatementPosition,
): ReturnType<Comparison> {
  const { rows } = await pool.query<StatementPosition & Verdict>({
    name: 'compare-statements',
    text: COMPARE,
    values: [after.accountId, after.month, STATEMENTS_AT_ONCE, clock.now()],
  });
  const last = rows.length < STATEMENTS_AT_ONCE ? undefined : rows.at(-1);
  return {
    compared: rows.length,
    differences: rows.flatMap(({ accountId, month, hasEnded, isRight }) => {
      const what = !hasEnded ? 'future_statement' : !isRight ? 'other_totals' : undefined;
      const target = `${accountId} ${month.replace(/-01$/, '')}`;
      return what ? [{ what, target, accountId, explanation: EXPLANATIONS[what], repaired: false }] : [];
    }),
    next: last ? `statements ${last.accountId} ${last.month}` : '',
  };
}

interface Verdict {
  /** Whether it is of a month that can have one, and was closed after the month's end. */
  readonly hasEnded: boolean;
  readonly isRight: boolean;
}

const EXPLANATIONS = {
  future_statement: 'the closed statement is of a month that is not over, or was not over when it was closed',
  other_totals: 'the totals of the closed statement differ from its ledger lines',
} as const;

const COMPARE = `
  SELECT s.account_id AS "accountId", s.month::text AS month,
         ${isMonth('s.month')} AND s.month < ${monthAt('LEAST(s.closed_at, $4::timestamptz)')} AS "hasEnded",
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
