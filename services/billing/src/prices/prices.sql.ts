// SQL, because one statement finds or prices thousands of lines.
import type { SqlSession } from '@supplier/lib/data/postgres';
import type { AccountId } from '@supplier/lib/text/ids';
import type { Month } from '../model/month.ts';
import { MAX_PRICED_AT_ONCE, type Price, type PriceSurroundings, type SetPrice } from '../model/price.ts';
import type { Tables, Transaction } from '../store/database.ts';
import type { PriceModel } from '../store/generated/models/Price.ts';
import { LATE_PRICE, monthText, PENCE, STATEMENT_MONTH } from '../store/ledger.sql.ts';

export async function findPriceInEffect(
  tx: Tables,
  { accountId, billingModel, effectiveFrom }: Price,
): Promise<SetPrice | undefined> {
  const row = await tx.price.findFirst({
    where: { accountId, billingModel, effectiveFrom: { lte: effectiveFrom } },
    orderBy: [{ effectiveFrom: 'desc' }, { sequence: 'desc' }],
  });
  return row ? priceOf(row) : undefined;
}

/** Charges that a new price covers: from its time until the next price takes effect. */
const CHARGES_COVERED = `
  e.account_id = $1::uuid AND ${STATEMENT_MONTH} >= date_trunc('month', $3::timestamptz AT TIME ZONE 'UTC')::date
  AND e.billing_model = $2::billing_model AND e.kind = 'charge' AND e.occurred_at >= $3::timestamptz
  AND e.occurred_at < COALESCE(
    (SELECT min(n.effective_from) FROM price n
      WHERE n.account_id = $1::uuid AND n.billing_model = $2::billing_model
        AND n.effective_from > $3::timestamptz), 'infinity')`;

/** Returns the existing data around a new price's time. The caller must hold the account's ledger lock. */
export async function findPriceSurroundings(
  tx: SqlSession,
  { accountId, billingModel, effectiveFrom }: Price,
): Promise<PriceSurroundings> {
  const { rows } = await tx.query<{ closed_through: Month | null; charges: number; any_priced: boolean }>(
    `WITH covered AS (
       SELECT ${PENCE} IS NOT NULL AS priced FROM ledger_entry e ${LATE_PRICE}
        WHERE ${CHARGES_COVERED} LIMIT ${MAX_PRICED_AT_ONCE + 1})
     SELECT (SELECT ${monthText('max(s.month)')} FROM statement s WHERE s.account_id = $1::uuid) AS closed_through,
            count(*)::int AS charges, COALESCE(bool_or(priced), false) AS any_priced FROM covered`,
    [accountId, billingModel, effectiveFrom],
  );
  const [found] = rows;
  if (!found) throw new Error('invariant violated: an aggregate without a row');
  const { closed_through, charges, any_priced } = found;
  return { closedThrough: closed_through ?? undefined, charges, anyPriced: any_priced };
}

/**
 * Inserts a price and applies it to the lines that it covers: charges, and credits that reverse them. The caller must
 * have checked that none of them has a price, and must hold the account's ledger lock. Resolves to the price and the
 * number of priced lines.
 */
export async function insertPrice(
  tx: Transaction,
  price: Price,
): Promise<{ price: SetPrice; linesPriced: number }> {
  const { accountId, billingModel, effectiveFrom, pence } = price;
  const row = await tx.price.create({ data: price });
  const { rowCount } = await tx.query(
    `WITH charge AS (
       SELECT e.id, e.submission_id FROM ledger_entry e WHERE ${CHARGES_COVERED})
     INSERT INTO line_price (entry_id, price_sequence, pence)
     SELECT id, $4::bigint, $5::int FROM charge
     UNION ALL
     SELECT c.id, $4::bigint, $5::int
       FROM charge JOIN ledger_entry c ON c.submission_id = charge.submission_id AND c.kind = 'credit'`,
    [accountId, billingModel, effectiveFrom, row.sequence, pence],
  );
  return { price: priceOf(row), linesPriced: rowCount ?? 0 };
}

/** Lists prices of an account, most recently set first; `before` is the sequence of the last price already listed. */
export async function listPrices(
  db: Tables,
  accountId: AccountId,
  before: bigint | undefined,
  limit: number,
): Promise<SetPrice[]> {
  const rows = await db.price.findMany({
    where: { accountId, ...(before !== undefined && { sequence: { lt: before } }) },
    orderBy: { sequence: 'desc' },
    take: limit,
  });
  return rows.map(priceOf);
}

const priceOf = (row: PriceModel): SetPrice => ({ ...row, accountId: row.accountId as AccountId });
