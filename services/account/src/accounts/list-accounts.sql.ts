import { boundedPage, type LookedAt } from '@supplier/lib/rpc/page-token';
import type { AccountId } from '@supplier/lib/text/ids';
import type pg from 'pg';
import type { AccountState } from '../model/account.ts';

/** So many accounts are looked at for one page: more than there will be suppliers for a long time. */
const MAX_LOOKED_AT = 5_000;
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** What is to hold of an account; what is undefined may be anything. */
export interface AccountFilter {
  /** In either case. */
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
 * Lists matching accounts, latest created first: up to `limit` of those after `after`, and the one after which the next
 * page begins; undefined when there are no more.
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
