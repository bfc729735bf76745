import type { SubmissionId } from '@supplier/lib/ids';
import { Environment, Status } from '@supplier/proto/common/v1/status';
import type { Transaction } from './database.ts';
import { Prisma, type Submission } from './generated/client.ts';

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
  const keys = [row.companyHash, row.telephoneHash, row.emailHash].flatMap((hash) =>
    hash ? [Buffer.from(hash).readBigInt64BE(0) ^ BigInt(row.environment)] : [],
  );
  if (keys.length === 0) return;
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(key)
    FROM (SELECT key FROM unnest(${keys}::bigint[]) AS k(key) ORDER BY key) AS in_order`;
}

/**
 * Looks for another submission of the same customer within `windowDays` before this one: they name one company, or
 * share a telephone or email while not naming two companies. In the sandbox only among the account's own.
 */
export async function findMatch(tx: Transaction, row: Matchable, windowDays: number): Promise<MatchResult> {
  const [first] = await tx.$queryRaw<{ id: string; status: number }[]>(matchQuery(row, windowDays));
  if (!first) return { kind: 'none' };
  return first.status === Status.RECEIVED
    ? { kind: 'decide-first', id: first.id as SubmissionId }
    : { kind: 'duplicate' };
}

/**
 * One index probe for each match key, so that the cost does not grow with the account. The account is compared in a way
 * that no index serves: the planner, which knows little of a table that grows fast, took its index for the best and read
 * everything the account had ever sent.
 */
export function matchQuery(row: Matchable, windowDays: number): Prisma.Sql {
  const { id, environment, receivedAt, companyHash, telephoneHash, emailHash } = row;
  const ownAccount = environment === Environment.SANDBOX ? row.accountId : null;
  const since = new Date(receivedAt.getTime() - windowDays * 86_400_000);
  const sharing = (key: Prisma.Sql) => Prisma.sql`
    SELECT id, status, received_at FROM submission
    WHERE ${key} AND environment = ${environment} AND received_at >= ${since} AND id <> ${id}::uuid
      AND (${ownAccount}::uuid IS NULL OR account_id IS NOT DISTINCT FROM ${ownAccount}::uuid)
      AND (status IN (${Status.ACCEPTED}, ${Status.RETURNED})
        OR (status = ${Status.RECEIVED} AND NOT awaits_staff AND (received_at, id) < (${receivedAt}, ${id}::uuid)))`;
  const oneCompanyAtMost = Prisma.sql`(company_hash IS NULL OR ${companyHash}::bytea IS NULL)`;
  return Prisma.sql`
    SELECT id, status FROM (
      ${sharing(Prisma.sql`company_hash = ${companyHash}`)}
      UNION ALL ${sharing(Prisma.sql`telephone_hash = ${telephoneHash} AND ${oneCompanyAtMost}`)}
      UNION ALL ${sharing(Prisma.sql`email_hash = ${emailHash} AND ${oneCompanyAtMost}`)}) AS candidate
    ORDER BY status = ${Status.RECEIVED}, received_at, id LIMIT 1`;
}
