// SQL, because it runs in the transaction of an operation.
import type { KeyRing } from '@supplier/lib/data/crypto';
import type { SubmissionId } from '@supplier/lib/text/ids';
import type pg from 'pg';
import { operationFingerprintAad } from '../model/associated-data.ts';
import type { Tenant } from './submissions.sql.ts';

/** Operations with an idempotency key. The numbers are stored. */
export const PROMOTION = 1;
export const CONTACT_CORRECTION = 2;

export interface KeyUse {
  readonly operation: typeof PROMOTION | typeof CONTACT_CORRECTION;
  readonly key: string;
  readonly submissionId: SubmissionId;
  /** SHA-256 of the public body in canonical form. */
  readonly bodyFingerprint: Uint8Array;
}

/**
 * The state of a key: `fresh`, and taken by this transaction if it commits; `repeated` with the same submission and
 * body; or `conflict` with any other, including an erased one.
 */
export type KeyClaim = 'fresh' | 'repeated' | 'conflict';

/**
 * Claims a key for the tenant. Waits for another transaction that is claiming the same key: of several concurrent
 * claims, only one is fresh. An uncommitted claim leaves no trace. Implements docs/contract.md, section 2.
 */
export async function claimOperationKey(
  tx: pg.PoolClient,
  keyRing: KeyRing,
  { accountId, environment }: Tenant,
  use: KeyUse,
  now: Date,
): Promise<KeyClaim> {
  const { operation, key, submissionId } = use;
  const compared = operationBytes(submissionId, use.bodyFingerprint);
  const id = [accountId, environment, operation, key] as const;
  const { rowCount } = await tx.query({
    name: 'claim-operation-key',
    text: `INSERT INTO operation_key (account_id, environment, operation, key, submission_id, body_digest, body_digest_key,
                                      body_fingerprint, applied_at)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING`,
    values: [
      ...id,
      submissionId,
      keyRing.digest('operation', compared),
      keyRing.digestKeyId,
      keyRing.seal(use.bodyFingerprint, operationFingerprintAad(...id)),
      now,
    ],
  });
  if (rowCount === 1) return 'fresh';
  const { rows } = await tx.query<{ body_digest: Buffer | null }>({
    name: 'find-operation-key',
    text: `SELECT body_digest FROM operation_key
            WHERE account_id = $1 AND environment = $2 AND operation = $3 AND key = $4`,
    values: [...id],
  });
  const earlier = rows[0]?.body_digest;
  return earlier && keyRing.isDigest(earlier, 'operation', compared) ? 'repeated' : 'conflict';
}

/** Returns the input of an operation's digest: the submission's id is part of the compared body. */
export function operationBytes(submissionId: SubmissionId, bodyFingerprint: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(submissionId), bodyFingerprint]);
}
