import type { Pool, PoolClient } from 'pg';
import { inTransaction } from '../../data/postgres/index.ts';
import type { ServiceProcess } from '../../runtime/service-runtime/index.ts';
import { type Sweep, startSweepers } from '../../runtime/sweepers/index.ts';
import { type Clock, systemClock } from '../../text/time/index.ts';
import { type ChainHead, ENTRY_COLUMNS, emptyChain, hashOf, type StoredEntry } from './stored-entry.ts';
import { measureVerification } from './verifications.ts';

const MAX_SEALED = 500;
const EVERY_MS = 2_000;

/**
 * Seals entries about two seconds after their commit, by one replica at a time, and reports verifications. Logs each
 * end of the chain, since a person who can rewrite the database cannot rewrite the log.
 */
export function startAuditSealing(process: ServiceProcess, pool: Pool, clock: Clock = systemClock): void {
  measureVerification(process, pool);
  startSweepers(process, [auditSealing(process, pool, clock)], undefined);
}

/** Creates the sweep that seals entries. */
export function auditSealing(
  process: Pick<ServiceProcess, 'name' | 'log'>,
  pool: Pool,
  clock: Clock,
): Sweep<undefined> {
  return {
    found: 'audit entries sealed',
    everyMs: EVERY_MS,
    async run() {
      const sealed = await sealEntries(pool, process.name, clock.now());
      const { count, head } = sealed ?? { count: 0, head: undefined };
      if (head && count > 0) {
        const hash = Buffer.from(head.hash).toString('hex');
        process.log.info({ count, position: String(head.position), hash }, 'audit entries sealed');
      }
      // Already logged with the end of the chain.
      return { count: 0, more: count === MAX_SEALED };
    },
  };
}

/** Seals up to 500 entries. Resolves to the chain's end; undefined while another process seals. */
export async function sealEntries(pool: Pool, service: string, now: Date) {
  // Usually there is nothing to seal, which this checks without a lock.
  const { rows } = await pool.query('SELECT FROM audit_unsealed LIMIT 1');
  if (rows.length === 0) return undefined;
  return inTransaction(pool, async (tx) => {
    const lock = await tx.query<{ mine: boolean }>(
      `SELECT pg_try_advisory_xact_lock(hashtext('audit_seal')) AS mine`,
    );
    if (!lock.rows[0]?.mine) return undefined;
    // The lock is a separate statement, so that later statements see the commit of its previous holder.
    const before = await headOf(tx, service);
    const waiting = await tx.query<StoredEntry>(
      `SELECT ${ENTRY_COLUMNS} FROM audit_unsealed u JOIN audit_entry e USING (sequence)
        ORDER BY u.sequence LIMIT ${MAX_SEALED}`,
    );
    const seals = sealsOf(before, waiting.rows, now);
    await writeSeals(tx, seals, now);
    return { count: seals.length, head: seals.at(-1) ?? before };
  });
}

export async function headOf(session: Pick<PoolClient, 'query'>, service: string): Promise<ChainHead> {
  const { rows } = await session.query<{ position: string; hash: Buffer }>(
    'SELECT position::text, hash FROM audit_seal ORDER BY audit_seal.position DESC LIMIT 1',
  );
  const [last] = rows;
  return last ? { position: BigInt(last.position), hash: last.hash } : emptyChain(service);
}

interface Seal extends ChainHead {
  readonly sequence: string;
}

function sealsOf(head: ChainHead, entries: readonly StoredEntry[], sealedAt: Date): Seal[] {
  let last = head;
  return entries.map((entry) => {
    const position = last.position + 1n;
    const seal = {
      position,
      sequence: entry.sequence,
      hash: hashOf(last.hash, { position, sealedAt }, entry),
    };
    last = seal;
    return seal;
  });
}

async function writeSeals(tx: PoolClient, seals: readonly Seal[], now: Date): Promise<void> {
  const sequences = seals.map(({ sequence }) => sequence);
  await tx.query(
    `INSERT INTO audit_seal (position, sequence, hash, sealed_at)
     SELECT g.position, g.sequence, g.hash, $4 FROM unnest($1::bigint[], $2::bigint[], $3::bytea[])
       AS g(position, sequence, hash)`,
    [seals.map(({ position }) => String(position)), sequences, seals.map(({ hash }) => hash), now],
  );
  await tx.query('DELETE FROM audit_unsealed WHERE sequence = ANY($1::bigint[])', [sequences]);
}
