import { createHash } from 'node:crypto';

/** An entry as stored. Sequence numbers are text because they may exceed a JavaScript number. */
export interface StoredEntry {
  readonly sequence: string;
  readonly at: Date;
  readonly actor: string;
  readonly issuer: string;
  readonly roles: readonly string[];
  readonly action: string;
  readonly target: string;
  readonly account_id: string | null;
  /** JSON as PostgreSQL formats it. */
  readonly before: string | null;
  readonly after: string | null;
  readonly purpose: string;
  readonly request_id: string;
}

/** The end of a chain. `hash` is 32 bytes; the position is 0 before the first seal. */
export interface ChainHead {
  readonly position: bigint;
  readonly hash: Uint8Array;
}

export interface SealPlace {
  readonly position: bigint;
  readonly sealedAt: Date;
}

/** The columns of `StoredEntry` in a statement, from the table or alias `e`. */
export const ENTRY_COLUMNS = `e.sequence::text, e.at, e.actor, e.issuer, e.roles, e.action, e.target, e.account_id::text,
  e.before::text, e.after::text, e.purpose, e.request_id`;

/** Returns a service's chain before its first entry. Two services with the same entries have different chains. */
export function emptyChain(service: string): ChainHead {
  return { position: 0n, hash: createHash('sha256').update(`audit of ${service}`).digest() };
}

/** Returns the SHA-256 of the previous hash, the position and the entry, as an unambiguous JSON array. */
export function hashOf(previous: Uint8Array, { position, sealedAt }: SealPlace, entry: StoredEntry): Buffer {
  const { sequence, at, actor, issuer, roles, action, target, account_id, before, after } = entry;
  const covered = [
    'audit/1',
    Buffer.from(previous).toString('hex'),
    String(position),
    sealedAt.toISOString(),
    sequence,
    at.toISOString(),
    ...[actor, issuer, roles, action, target, account_id, before, after],
    ...[entry.purpose, entry.request_id],
  ];
  return createHash('sha256').update(JSON.stringify(covered)).digest();
}
