import { timingSafeEqual } from 'node:crypto';
import type { KeyRing } from '@supplier/lib/crypto';
import type { SubmissionId } from '@supplier/lib/ids';
import type { Transaction } from './database.ts';
import type { Tenant } from './find-submission.ts';

/** Operations that are repeated under a key; the numbers are stored. */
export const PROMOTION = 1;
export const CONTACT_CORRECTION = 2;

/** One use of an idempotency key. */
export interface KeyUse {
  readonly operation: typeof PROMOTION | typeof CONTACT_CORRECTION;
  readonly key: string;
  readonly submissionId: SubmissionId;
  /** SHA-256 of the public body in its canonical form. */
  readonly bodyFingerprint: Uint8Array;
}

/**
 * What a key stands for now: `fresh`, and taken by this transaction if it commits; `repeated` with the same submission
 * and body; or `conflict` with any other, or with one that was erased.
 */
export type KeyClaim = 'fresh' | 'repeated' | 'conflict';

/**
 * Claims a key for the tenant. Another transaction that is claiming the same key is waited for: of any number at once
 * one finds it fresh. A claim that is not committed leaves no trace. Implements docs/contract.md, section 2.
 */
export async function claimOperationKey(
  tx: Transaction,
  keyRing: KeyRing,
  { accountId, environment }: Tenant,
  use: KeyUse,
  now: Date,
): Promise<KeyClaim> {
  const { operation, key, submissionId } = use;
  const bodyDigest = keyRing.digest(
    'operation',
    Buffer.concat([Buffer.from(submissionId), use.bodyFingerprint]),
  );
  const id = { accountId, environment, operation, key };
  const { count } = await tx.operationKey.createMany({
    data: { ...id, submissionId, bodyDigest, appliedAt: now },
    skipDuplicates: true,
  });
  if (count === 1) return 'fresh';
  const earlier = await tx.operationKey.findUniqueOrThrow({
    where: { accountId_environment_operation_key: id },
    select: { bodyDigest: true },
  });
  return earlier.bodyDigest && timingSafeEqual(earlier.bodyDigest, bodyDigest) ? 'repeated' : 'conflict';
}
