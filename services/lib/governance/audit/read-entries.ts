import type { Pool } from 'pg';
import { ENTRY_COLUMNS, type StoredEntry } from './stored-entry.ts';

/** The condition of each filter of a list, for its parameter. */
const CONDITIONS = {
  since: (value: string) => `e.at >= ${value}`,
  until: (value: string) => `e.at < ${value}`,
  actor: (value: string) => `e.actor = ${value}`,
  action: (value: string) => `e.action = ${value}`,
  actions: (value: string) => `e.action = ANY(${value}::text[])`,
  accountId: (value: string) => `e.account_id = ${value}`,
  target: (value: string) => `e.target = ${value}`,
  requestId: (value: string) => `e.request_id = ${value}`,
} as const;

/** Undefined filters are ignored. */
type EntryFilter = Readonly<
  Partial<Record<keyof typeof CONDITIONS, Date | string | readonly string[] | undefined>>
>;

export interface EntryPlace {
  readonly at: Date;
  readonly sequence: bigint;
}

/** An entry and its seal, which is absent until the entry is sealed. */
export type SealedEntry = StoredEntry & {
  readonly position: string | null;
  readonly hash: Buffer | null;
  readonly sealed_at: Date | null;
};

const SEAL_COLUMNS = 's.position::text, s.hash, s.sealed_at';

export async function newestEntries(
  pool: Pool,
  filter: EntryFilter,
  after: EntryPlace | undefined,
  limit: number,
): Promise<SealedEntry[]> {
  const values: unknown[] = [];
  const names = Object.keys(CONDITIONS) as (keyof EntryFilter)[];
  const conditions = names
    .filter((name) => filter[name] !== undefined)
    .map((name) => CONDITIONS[name](`$${values.push(filter[name])}`));
  if (after)
    conditions.push(
      `(e.at, e.sequence) < ($${values.push(after.at)}, $${values.push(String(after.sequence))})`,
    );
  const { rows } = await pool.query<SealedEntry>(
    `SELECT ${ENTRY_COLUMNS}, ${SEAL_COLUMNS}
       FROM audit_entry e LEFT JOIN audit_seal s ON s.sequence = e.sequence
      ${conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''}
      ORDER BY e.at DESC, e.sequence DESC LIMIT $${values.push(limit)}`,
    values,
  );
  return rows;
}

/** Returns the position before the first entry that was sealed at or after `since`. */
export async function positionBefore(pool: Pool, since: Date): Promise<bigint> {
  // Positions increase with time: an entry sealed later has a higher position.
  const { rows } = await pool.query<{ position: string }>(
    `SELECT coalesce(max(s.position), 0)::text AS position FROM audit_seal s WHERE s.sealed_at < $1`,
    [since],
  );
  return BigInt(rows[0]?.position ?? 0);
}

/** Returns up to `limit` sealed entries after a position, in chain order. */
export async function sealedEntries(pool: Pool, after: bigint, limit: number): Promise<SealedEntry[]> {
  const { rows } = await pool.query<SealedEntry>({
    name: 'sealed-entries',
    text: `SELECT ${ENTRY_COLUMNS}, ${SEAL_COLUMNS}
             FROM audit_seal s JOIN audit_entry e ON e.sequence = s.sequence
            WHERE s.position > $1 ORDER BY s.position LIMIT $2`,
    values: [String(after), limit],
  });
  return rows;
}
