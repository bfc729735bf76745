import type { SubmissionId } from '@supplier/lib/ids';
import { Environment, Status } from '@supplier/proto/common/v1/status';
import type { Transaction } from './database.ts';
import type { Submission } from './generated/client.ts';

/** What a submission is matched by. */
export type Matchable = Pick<
  Submission,
  'id' | 'accountId' | 'environment' | 'receivedAt' | 'companyHash' | 'telephoneHash' | 'emailHash'
>;

/** What another submission of the same customer means for a decision. */
export type MatchResult =
  | { readonly kind: 'none' }
  | { readonly kind: 'duplicate' }
  /** An earlier one that is about to be decided: its decision comes first. */
  | { readonly kind: 'decide-first'; readonly id: SubmissionId };

/**
 * Serialises decisions about the same customer: whoever holds the locks of a row's match keys decides alone among all
 * rows that share one. Held until the transaction ends; taken in one order by everybody, so that nobody waits in a ring.
 */
export async function lockMatchKeys(tx: Transaction, row: Matchable): Promise<void> {
  const keys = [row.companyHash, row.telephoneHash, row.emailHash]
    .flatMap((hash) => (hash ? [Buffer.from(hash).readBigInt64BE(0) ^ BigInt(row.environment)] : []))
    .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  for (const key of keys) await tx.$executeRaw`SELECT pg_advisory_xact_lock(${key})`;
}

/**
 * Looks for another submission of the same customer within `windowDays` before this one: they name one company, or
 * share a telephone or email while not naming two companies. In the sandbox only among the account's own.
 */
export async function findMatch(tx: Transaction, row: Matchable, windowDays: number): Promise<MatchResult> {
  const ownAccount = row.environment === Environment.SANDBOX ? row.accountId : null;
  const since = new Date(row.receivedAt.getTime() - windowDays * 86_400_000);
  const [first] = await tx.$queryRaw<{ id: string; status: number }[]>`
    SELECT id, status FROM submission c
    WHERE environment = ${row.environment} AND id <> ${row.id}::uuid
      AND (${ownAccount}::uuid IS NULL OR account_id = ${ownAccount}::uuid)
      AND received_at >= ${since}
      AND (company_hash = ${row.companyHash}
        OR ((telephone_hash = ${row.telephoneHash} OR email_hash = ${row.emailHash})
          AND (company_hash IS NULL OR ${row.companyHash}::bytea IS NULL)))
      AND (status IN (${Status.ACCEPTED}, ${Status.RETURNED})
        OR (status = ${Status.RECEIVED} AND NOT awaits_staff
          AND (received_at, id) < (${row.receivedAt}, ${row.id}::uuid)))
    ORDER BY status = ${Status.RECEIVED}, received_at, id LIMIT 1`;
  if (!first) return { kind: 'none' };
  return first.status === Status.RECEIVED
    ? { kind: 'decide-first', id: first.id as SubmissionId }
    : { kind: 'duplicate' };
}
