import type { AccountId } from '@supplier/lib/text/ids';
import type pg from 'pg';
import type { BillingModel } from '../model/ledger.ts';
import type { Month } from '../model/month.ts';
import { MAX_PRICED_AT_ONCE, type Price, type PriceSurroundings, type SetPrice } from '../model/price.ts';
import { LATE_PRICE, monthText, PENCE, STATEMENT_MONTH } from '../store/ledger.sql.ts';

type Sql = Pick<pg.Pool | pg.PoolClient, 'query'>;

interface PriceRow {
  readonly sequence: string;
  readonly account_id: AccountId;
  readonly billing_model: BillingModel;
  readonly pence: number;
  readonly effective_from: Date;
  readonly set_at: Date;
}

const COLUMNS = 'sequence, account_id, billing_model, pence, effective_from, set_at';

/** Returns the price in effect at the time of `price`, if any. */
export async function findPriceInEffect(
  tx: Sql,
  { accountId, billingModel, effectiveFrom }: Price,
): Promise<SetPrice | undefined> {
  const { rows } = await tx.query<PriceRow>({
    name: 'find-price-in-effect',
    text: `SELECT ${COLUMNS} FROM price WHERE account_id = $1 AND billing_model = $2 AND effective_from <= $3
            ORDER BY effective_from DESC, sequence DESC LIMIT 1`,
    values: [accountId, billingModel, effectiveFrom],
  });
  return rows.map(priceOf)[0];
}

/** Charges that a new price covers: from its time until the next price takes effect. */
const CHARGES_COVERED = `
  e.account_id = $1 AND ${STATEMENT_MONTH} >= date_trunc('month', $3::timestamptz AT TIME ZONE 'UTC')::date
  AND e.billing_model = $2 AND e.kind = 'charge' AND e.occurred_at >= $3
  AND e.occurred_at < COALESCE(
    (SELECT min(n.effective_from) FROM price n
      WHERE n.account_id = $1 AND n.billing_model = $2 AND n.effective_from > $3), 'infinity')`;

/** Returns the existing data around a new price's time. The caller must hold the account's ledger lock. */
export async function findPriceSurroundings(
  tx: Sql,
  { accountId, billingModel, effectiveFrom }: Price,
): Promise<PriceSurroundings> {
  const { rows } = await tx.query<{ closed_through: Month | null; charges: number; any_priced: boolean }>({
    name: 'find-price-surroundings',
    text: `WITH covered AS (
             SELECT ${PENCE} IS NOT NULL AS priced FROM ledger_entry e ${LATE_PRICE}
              WHERE ${CHARGES_COVERED} LIMIT ${MAX_PRICED_AT_ONCE + 1})
           SELECT (SELECT ${monthText('max(s.month)')} FROM statement s WHERE s.account_id = $1) AS closed_through,
                  count(*)::int AS charges, COALESCE(bool_or(priced), false) AS any_priced FROM covered`,
    values: [accountId, billingModel, effectiveFrom],
  });
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
  tx: pg.PoolClient,
  { accountId, billingModel, effectiveFrom, pence, setAt }: Price,
): Promise<{ price: SetPrice; linesPriced: number }> {
  const { rows } = await tx.query<PriceRow>({
    name: 'insert-price',
    text: `INSERT INTO price (account_id, billing_model, effective_from, pence, set_at) VALUES ($1, $2, $3, $4, $5)
           RETURNING ${COLUMNS}`,
    values: [accountId, billingModel, effectiveFrom, pence, setAt],
  });
  const [price] = rows.map(priceOf);
  if (!price) throw new Error('invariant violated: an insert without a row');
  const { rowCount } = await tx.query({
    name: 'price-lines',
    text: `WITH charge AS (
             SELECT e.id, e.submission_id FROM ledger_entry e WHERE ${CHARGES_COVERED})
           INSERT INTO line_price (entry_id, price_sequence, pence)
           SELECT id, $4::bigint, $5::int FROM charge
           UNION ALL
           SELECT c.id, $4, $5 FROM charge JOIN ledger_entry c ON c.submission_id = charge.submission_id AND c.kind = 'credit'`,
    values: [accountId, billingModel, effectiveFrom, price.sequence, pence],
  });
  return { price, linesPriced: rowCount ?? 0 };
}

/** Lists prices of an account, most recently set first; `before` is the sequence of the last price already listed. */
export async function listPrices(
  pool: Sql,
  accountId: AccountId,
  before: bigint | undefined,
  limit: number,
): Promise<SetPrice[]> {
  const { rows } = await pool.query<PriceRow>({
    name: 'list-prices',
    text: `SELECT ${COLUMNS} FROM price WHERE account_id = $1 AND sequence < COALESCE($2::bigint, 9223372036854775807)
            ORDER BY sequence DESC LIMIT $3`,
    values: [accountId, before, limit],
  });
  return rows.map(priceOf);
}

function priceOf(row: PriceRow): SetPrice {
  return {
    sequence: BigInt(row.sequence),
    accountId: row.account_id,
    billingModel: row.billing_model,
    pence: row.pence,
    effectiveFrom: row.effective_from,
    setAt: row.set_at,
  };
}
