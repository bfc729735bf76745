import { createHash } from 'node:crypto';

/** An entry as the database has it. Numbers are text: they may exceed what a number holds. */
export interface StoredEntry {
  readonly sequence: string;
  readonly at: Date;
  readonly actor: string;
  readonly issuer: string;
  readonly roles: readonly string[];
  readonly action: string;
  readonly target: string;
  readonly account_id: string | null;
  /** JSON as PostgreSQL prints it. */
  readonly before: string | null;
  readonly after: string | null;
  readonly purpose: string;
  readonly request_id: string;
}

/** How far a chain has got. `hash` is 32 bytes; before the first seal the position is 0. */
export interface ChainHead {
  readonly position: bigint;
  readonly hash: Uint8Array;
}

/** A place in the chain, without its hash. */
export interface SealPlace {
  readonly position: bigint;
  readonly sealedAt: Date;
}

/** The columns of `StoredEntry` in a statement, of the table or alias `e`. */
export const ENTRY_COLUMNS = `e.sequence::text, e.at, e.actor, e.issuer, e.roles, e.action, e.target, e.account_id::text,
  e.before::text, e.after::text, e.purpose, e.request_id`;

/** The chain of a service before its first entry: two services with the same entries have different chains. */
export function emptyChain(service: string): ChainHead {
  return { position: 0n, hash: createHash('sha256').update(`audit of ${service}`).digest() };
}

/**
 * The hash of a place in the chain: SHA-256 over the hash before it, the place and every column of the entry, as a JSON
 * array, so that no value can pass for a part of its neighbour.
 */
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
