/** Of a line `e` of the ledger: the month whose statement it is on. An index has this expression. */
export const STATEMENT_MONTH = `COALESCE(e.statement_month, date_trunc('month', e.occurred_at AT TIME ZONE 'UTC')::date)`;

/** What a line `e` costs or gives back, with its late price `l`; null where no price covers its time. */
export const PENCE = 'COALESCE(e.pence, l.pence)';
export const LATE_PRICE = 'LEFT JOIN line_price l ON l.entry_id = e.id';

/** The month of a date as YYYY-MM. */
export const monthText = (date: string): string => `to_char(${date}, 'YYYY-MM')`;

/** On whose statement a line enters: the month in which it occurred, or the first one after the last that is closed. */
export const openMonthAt = (account: string, at: string): string => `
  GREATEST(date_trunc('month', ${at} AT TIME ZONE 'UTC')::date,
    (SELECT (max(s.month) + INTERVAL '1 month')::date FROM statement s WHERE s.account_id = ${account}))`;
