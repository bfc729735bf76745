import { timingSafeEqual } from 'node:crypto';
import type { ClientBase } from 'pg';
import { inTransactionOf } from '../../data/postgres/index.ts';
import { type ChainHead, ENTRY_COLUMNS, emptyChain, hashOf, type StoredEntry } from './stored-entry.ts';

const BATCH = 1_000;
/** A seal follows its entry within seconds. If an entry waits for longer, no service is sealing. */
const MAX_WAIT_MINUTES = 10;

export interface ChainReport {
  /** The number of entries that match their seals, up to the first mismatch. */
  readonly sealed: number;
  readonly head: ChainHead;
  /** The number of recent entries that are not sealed yet. */
  readonly waiting: number;
  /** The first finding, as a sentence; absent if there is none. */
  readonly broken?: string;
}

/** An earlier end of the chain, known from outside the database. */
export interface KnownHead {
  readonly position: bigint;
  /** Lower-case hexadecimal. */
  readonly hash: string;
}

/**
 * Checks every entry against its seal and every seal against the previous one, from one snapshot. Only with `known` are
 * removed last entries, or a chain rewritten from some position on, detected.
 */
export function verifyChain(session: ClientBase, service: string, known?: KnownHead): Promise<ChainReport> {
  return inTransactionOf(session, async () => {
    await session.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const chain = await walk(session, service, known);
    const { waiting, broken: left } = await unsealed(session);
    const broken = chain.broken ?? left;
    return { sealed: Number(chain.head.position), head: chain.head, waiting, ...(broken && { broken }) };
  });
}

type SealedRow = { position: string; hash: Buffer; sealed_at: Date; sealed: string } & (
  | StoredEntry
  | { sequence: null }
);

interface Walked {
  readonly head: ChainHead;
  readonly broken?: string;
}

async function walk(session: ClientBase, service: string, known: KnownHead | undefined): Promise<Walked> {
  let head = emptyChain(service);
  for (;;) {
    const { rows } = await session.query<SealedRow>(
      `SELECT s.position::text, s.hash, s.sealed_at, s.sequence::text AS sealed, ${ENTRY_COLUMNS}
         FROM audit_seal s LEFT JOIN audit_entry e ON e.sequence = s.sequence
        WHERE s.position > $1 ORDER BY s.position LIMIT ${BATCH}`,
      [String(head.position)],
    );
    for (const row of rows) {
      const broken = faultOf(row, head) ?? faultOfKnown(row, known);
      if (broken) return { head, broken };
      head = { position: BigInt(row.position), hash: row.hash };
    }
    if (rows.length < BATCH) return { head, ...endsEarly(head, known) };
  }
}

function faultOf(row: SealedRow, { position: last, hash: previous }: ChainHead): string | undefined {
  const position = BigInt(row.position);
  if (position !== last + 1n) return `the seal at position ${last + 1n} was removed`;
  if (row.sequence === null) return `entry ${row.sealed}, sealed at position ${position}, was removed`;
  const expected = hashOf(previous, { position, sealedAt: row.sealed_at }, row);
  if (row.hash.length === expected.length && timingSafeEqual(row.hash, expected)) return undefined;
  return `entry ${row.sequence} differs from what was sealed at position ${position}: the entry, its position or its seal was changed`;
}

function faultOfKnown(row: SealedRow, known: KnownHead | undefined): string | undefined {
  if (!known || BigInt(row.position) !== known.position) return undefined;
  if (row.hash.toString('hex') === known.hash) return undefined;
  return `position ${row.position} has a different hash from the known one: the chain was rewritten at or before it`;
}

function endsEarly({ position }: ChainHead, known: KnownHead | undefined): { broken?: string } {
  if (!known || known.position <= position) return {};
  return {
    broken: `the chain ends at position ${position}, before the known position ${known.position}: its newest entries were removed`,
  };
}

async function unsealed(session: ClientBase): Promise<{ waiting: number; broken?: string }> {
  const { rows } = await session.query<{
    waiting: string;
    unlisted: string | null;
    gone: string | null;
    overdue: string | null;
  }>(
    `SELECT (SELECT count(*) FROM audit_unsealed)::text AS waiting,
            (SELECT min(e.sequence) FROM audit_entry e
              WHERE NOT EXISTS (SELECT FROM audit_seal s WHERE s.sequence = e.sequence)
                AND NOT EXISTS (SELECT FROM audit_unsealed u WHERE u.sequence = e.sequence))::text AS unlisted,
            (SELECT min(u.sequence) FROM audit_unsealed u
              WHERE NOT EXISTS (SELECT FROM audit_entry e WHERE e.sequence = u.sequence))::text AS gone,
            (SELECT min(u.sequence) FROM audit_unsealed u
              WHERE u.since < CURRENT_TIMESTAMP - interval '${MAX_WAIT_MINUTES} minutes')::text AS overdue`,
  );
  const { waiting = '0', unlisted = null, gone = null, overdue = null } = rows[0] ?? {};
  return { waiting: Number(waiting), ...problem() };

  function problem(): { broken?: string } {
    if (unlisted !== null) return { broken: `entry ${unlisted} is neither sealed nor waiting to be sealed` };
    if (gone !== null) return { broken: `entry ${gone} was removed before it was sealed` };
    if (overdue !== null)
      return {
        broken: `entry ${overdue} has been unsealed for more than ${MAX_WAIT_MINUTES} minutes: start the service, which seals entries`,
      };
    return {};
  }
}
