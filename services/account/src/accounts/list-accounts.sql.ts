import { boundedPage, type LookedAt } from '@supplier/lib/rpc/page-token';
import type { AccountId } from '@supplier/lib/text/ids';
import type pg from 'pg';
import type { AccountState } from '../model/account.ts';

/** Maximum number of accounts scanned for one page; the number of suppliers will stay below it for a long time. */
const MAX_LOOKED_AT = 5_000;
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Filters for listed accounts; undefined fields match everything. */
export interface AccountFilter {
  /** Case-insensitive. */
  readonly nameContains: string | undefined;
  readonly state: AccountState | undefined;
}

export interface ListedRow {
  readonly id: AccountId;
  readonly name: string;
  readonly state: AccountState;
  readonly created_at: Date;
}

/**
 * Lists matching accounts, newest first: up to `limit` after `after`, and the account after which the next page begins;
 * undefined on the last page.
 */
export async function listAccounts(
  pool: Pick<pg.Pool, 'query'>,
  { nameContains, state }: AccountFilter,
  after: AccountId | undefined,
  limit: number,
): Promise<{ rows: ListedRow[]; next: AccountId | undefined }> {
  const { rows } = await pool.query<ListedRow & LookedAt>({
    text: `
      SELECT a.id, a.name, a.state::text AS state, a.created_at, a.matches, a.place = ${MAX_LOOKED_AT} AS is_last
        FROM (SELECT w.*, row_number() OVER (ORDER BY w.id DESC) AS place,
                     ($2::text IS NULL OR position(lower($2) IN lower(w.name)) > 0)
                     AND ($3::text IS NULL OR w.state::text = $3) AS matches
                FROM (SELECT id, name, state, created_at FROM account WHERE id < $1::uuid
                       ORDER BY id DESC LIMIT ${MAX_LOOKED_AT}) AS w) AS a
       WHERE a.matches OR a.place = ${MAX_LOOKED_AT}
       ORDER BY a.id DESC LIMIT ${limit + 1}`,
    values: [after ?? LAST_ID, nameContains ?? null, state ?? null],
  });
  const { page, next } = boundedPage(rows, limit);
  return { rows: page, next: next?.id };
}
