// SQL, because Prisma can't join the latest activation.
import { createHash } from 'node:crypto';
import { enqueue } from '@supplier/lib/data/postgres';
import type { AuditActor } from '@supplier/lib/governance/audit';
import type pg from 'pg';
import type { KnownPolicyKind } from '../model/policy/policy-kinds.ts';

type Sql = Pick<pg.Pool, 'query'>;

/** A stored version, without its text. */
export interface PolicyRow {
  readonly sequence: string;
  readonly kind: KnownPolicyKind;
  readonly version: string;
  readonly sha256: string;
  readonly author: string;
  readonly note: string;
  readonly created_at: Date;
  readonly is_active: boolean;
  /** Time of its latest activation; null if it was never active. */
  readonly activated_at: Date | null;
  readonly activated_by: string | null;
}

export interface ActivationRow {
  readonly kind: KnownPolicyKind;
  readonly sequence: string;
  readonly version: string;
  readonly actor: string;
  readonly issuer: string;
}

export const sha256Of = (text: string) => createHash('sha256').update(text).digest('hex');

/** Serialises changes of one kind, so that activations are in the order of their commits. */
export function lockPolicies(tx: pg.PoolClient, kind: KnownPolicyKind): void {
  enqueue(tx, {
    name: 'lock-policies',
    text: `SELECT pg_advisory_xact_lock(hashtext('policy'), $1::int)`,
    values: [kind],
  });
}

/** Returns the active version of each kind, with one index lookup for each. */
export async function activePolicies(
  session: Sql,
  kinds: readonly KnownPolicyKind[],
): Promise<ActivationRow[]> {
  const { rows } = await session.query<ActivationRow>({
    name: 'active-policies',
    text: `SELECT k.kind, a.sequence::text, a.version, a.actor, a.issuer
             FROM unnest($1::smallint[]) AS k(kind)
            CROSS JOIN LATERAL (SELECT * FROM policy_activation p WHERE p.kind = k.kind
                                 ORDER BY p.sequence DESC LIMIT 1) AS a`,
    values: [kinds],
  });
  return rows;
}

/** Returns the text of a version with its digest; undefined if it was never stored. */
export async function findPolicyText(
  session: Sql,
  kind: KnownPolicyKind,
  version: string,
): Promise<{ readonly text: string; readonly sha256: string } | undefined> {
  const { rows } = await session.query<{ text: string; sha256: string }>({
    name: 'find-policy-text',
    text: 'SELECT text, sha256 FROM policy_version WHERE kind = $1 AND version = $2',
    values: [kind, version],
  });
  return rows[0];
}

const SHOWN = `v.sequence::text, v.kind, v.version, v.sha256, v.author, v.note, v.created_at,
    l.activated_at, l.actor AS activated_by, coalesce(l.sequence = (SELECT max(p.sequence) FROM policy_activation p
      WHERE p.kind = v.kind), false) AS is_active
  FROM policy_version v
  LEFT JOIN LATERAL (SELECT * FROM policy_activation p WHERE p.kind = v.kind AND p.version = v.version
                      ORDER BY p.sequence DESC LIMIT 1) AS l ON true`;

/** Returns a version and whether it is active; undefined if it was never stored. */
export async function findPolicy(
  session: Sql,
  kind: KnownPolicyKind,
  version: string,
): Promise<PolicyRow | undefined> {
  const { rows } = await session.query<PolicyRow>({
    name: 'find-policy',
    text: `SELECT ${SHOWN} WHERE v.kind = $1 AND v.version = $2`,
    values: [kind, version],
  });
  return rows[0];
}

/** Lists versions of these kinds, newest first, up to `limit` of those stored before `before`. */
export async function listPolicies(
  session: Sql,
  kinds: readonly KnownPolicyKind[],
  before: bigint | undefined,
  limit: number,
): Promise<PolicyRow[]> {
  const { rows } = await session.query<PolicyRow>({
    name: 'list-policies',
    text: `SELECT ${SHOWN} WHERE v.kind = ANY($1::smallint[]) AND v.sequence < $2
            ORDER BY v.sequence DESC LIMIT $3`,
    values: [kinds, String(before ?? 2n ** 63n - 1n), limit],
  });
  return rows;
}

export interface NewPolicy {
  readonly kind: KnownPolicyKind;
  readonly version: string;
  readonly text: string;
  readonly note: string;
  readonly at: Date;
  readonly by: AuditActor;
}

/** Stores a version under the lock of its kind. */
export async function insertPolicy(tx: Sql, { kind, version, text, note, at, by }: NewPolicy): Promise<void> {
  await tx.query({
    name: 'insert-policy',
    text: `INSERT INTO policy_version (kind, version, text, sha256, author, issuer, note, created_at)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    values: [kind, version, text, sha256Of(text), by.actor, by.issuer, note, at],
  });
}

/** Activates a stored version under the lock of its kind. */
export async function insertActivation(
  tx: Sql,
  { kind, version, at, by }: Pick<NewPolicy, 'kind' | 'version' | 'at' | 'by'>,
): Promise<void> {
  await tx.query({
    name: 'insert-policy-activation',
    text: `INSERT INTO policy_activation (kind, version, activated_at, actor, issuer) VALUES ($1, $2, $3, $4, $5)`,
    values: [kind, version, at, by.actor, by.issuer],
  });
}
