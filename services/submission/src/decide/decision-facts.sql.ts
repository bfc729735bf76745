// SQL, because match keys are locked and compared in sets.
import { enqueue } from '@supplier/lib/data/postgres';
import type { AccountId, SubmissionId } from '@supplier/lib/text/ids';
import type { Clock } from '@supplier/lib/text/time';
import { Environment } from '@supplier/proto/common/v1/status';
import type pg from 'pg';
import type { DecisionFacts, UndecidedSubmission } from '../model/decide-all.ts';
import { type AllMatchHashes, hasHash, type MatchHashes } from '../model/match-hashes.ts';
import type { Match } from '../model/match-keys.ts';
import type { Matchable } from '../model/matching.ts';
import { countAccepted } from '../store/acceptance-counts.sql.ts';

export interface FactsOptions {
  readonly duplicateWindowDays: number;
  readonly now: Date;
}

/**
 * Reads the facts for deciding these submissions, under locks held until the end of the transaction: first their customers'
 * match keys, then their accounts' caps, each in the same order in every transaction. The rows of the submissions are already
 * locked. Implements docs/contract.md, section 5.
 */
export async function loadDecisionFacts(
  tx: pg.PoolClient,
  submissions: readonly UndecidedSubmission[],
  { duplicateWindowDays, now }: FactsOptions,
): Promise<DecisionFacts> {
  const matchables = submissions.map(({ matchable }) => matchable);
  lockMatchKeys(tx, matchables);
  const { duplicates, earlier } = await findMatches(tx, matchables, duplicateWindowDays);
  return { duplicates, earlier, accepted: await countAccepted(tx, submissions, now) };
}

/** A submission being received. Its time of receipt is taken after its match keys are locked. */
export type Receivable = Omit<Matchable, 'receivedAt'>;

/** Matches of the submissions being received, and their time of receipt. */
export interface Receipt extends Pick<DecisionFacts, 'duplicates' | 'earlier'> {
  readonly receivedAt: Date;
}

export interface ReceiptOptions {
  readonly duplicateWindowDays: number;
  /** The maximum wait for each lock, here and later in the transaction, in milliseconds. */
  readonly lockWaitMs: number;
  /** Overrides the database clock for the time of receipt. */
  readonly receiptClock?: Clock | undefined;
}

/**
 * Begins recording submissions: waits for transactions that are recording or deciding others from the same customers,
 * then reads the database clock and searches for matches. So each submission sees those received before it. The whole
 * group has one time of receipt and is ordered by id, which follows the order of the requests. The locks are held until
 * the end of the transaction; a lock that takes longer than `lockWaitMs` fails it with 55P03. Writes nothing.
 * Implements docs/contract.md, section 5.
 */
export async function receive(
  tx: pg.PoolClient,
  submissions: readonly Receivable[],
  { duplicateWindowDays, lockWaitMs, receiptClock }: ReceiptOptions,
): Promise<Receipt> {
  // Sets the timeout within the statement to save a round trip: PostgreSQL reads it when a wait begins.
  enqueue(tx, {
    name: 'lock-arrivals',
    text: `SELECT held.locks
             FROM (SELECT set_config('lock_timeout', $2::text, true) AS wait) AS bound,
                  LATERAL (SELECT count(*) FILTER (WHERE pg_advisory_xact_lock(k) IS NOT NULL) AS locks
                             FROM unnest($1::bigint[]) AS u(k) WHERE bound.wait IS NOT NULL) AS held`,
    values: [lockKeysOf(submissions), `${lockWaitMs}ms`],
  });
  const arriving = submissions.map((submission) => ({ ...submission, receivedAt: null }));
  return findMatches(tx, arriving, duplicateWindowDays, receiptClock?.now());
}

/** Only the transaction that holds a customer's keys decides its submissions. */
function lockMatchKeys(tx: pg.PoolClient, matchables: readonly Matchable[]): void {
  const keys = lockKeysOf(matchables);
  if (keys.length === 0) return;
  enqueue(tx, {
    name: 'lock-match-keys',
    text: 'SELECT pg_advisory_xact_lock(k) FROM unnest($1::bigint[]) AS u(k)',
    values: [keys],
  });
}

/**
 * For each submission: the accepted submission that it duplicates with the kind of the matching key (a MatchKey, from
 * the same probe), and the earlier undecided one with one of its keys. In this order, the first match counts:
 *
 * - accepted submissions: by company number, then by telephone or email, unless both name a company;
 * - promotions, which state their customer again, but don't affect submissions received before them. A promoted
 *   submission also names the company of its promotion.
 *
 * One index probe for each key and kind, so that the cost does not grow with the account. Three forms keep the planner
 * from another way on a fast-growing table with stale statistics: the account is compared so that no index matches,
 * `awaits_staff::int` doesn't match the index of undecided work, and `OFFSET 0` looks up a promoted submission by id.
 */
export const MATCH_QUERY = `
  WITH receipt AS MATERIALIZED (
    SELECT coalesce($9::timestamptz, date_trunc('milliseconds', clock_timestamp())) AS at
  ), sought AS MATERIALIZED (
    SELECT u.id, u.environment, u.own_account, u.company_hash, u.telephone_hash, u.email_hash,
           coalesce(u.received_at, receipt.at) AS received_at,
           coalesce(u.received_at, receipt.at) - $8 * interval '1 day' AS since
      FROM receipt, unnest($1::uuid[], $2::smallint[], $3::uuid[], $4::timestamptz[], $5::bytea[], $6::bytea[], $7::bytea[])
                    AS u(id, environment, own_account, received_at, company_hash, telephone_hash, email_hash)
  ), matched AS MATERIALIZED (
    SELECT g.id,
       coalesce(
         (SELECT ARRAY[s.id::text, '1'] FROM submission s
          WHERE s.company_hash = g.company_hash AND s.status IN (2, 5) AND s.id <> g.id
            AND s.environment = g.environment AND s.received_at >= g.since
            AND (g.own_account IS NULL OR s.account_id IS NOT DISTINCT FROM g.own_account)
          LIMIT 1),
         (SELECT ARRAY[s.id::text, '2'] FROM submission s
          WHERE s.telephone_hash = g.telephone_hash AND s.status IN (2, 5) AND s.id <> g.id
            AND s.environment = g.environment AND s.received_at >= g.since
            AND (g.own_account IS NULL OR s.account_id IS NOT DISTINCT FROM g.own_account)
            AND (g.company_hash IS NULL OR (s.company_hash IS NULL AND NOT EXISTS
                  (SELECT FROM promoted_keys c WHERE c.submission_id = s.id AND c.company_hash IS NOT NULL)))
          LIMIT 1),
         (SELECT ARRAY[s.id::text, '3'] FROM submission s
          WHERE s.email_hash = g.email_hash AND s.status IN (2, 5) AND s.id <> g.id
            AND s.environment = g.environment AND s.received_at >= g.since
            AND (g.own_account IS NULL OR s.account_id IS NOT DISTINCT FROM g.own_account)
            AND (g.company_hash IS NULL OR (s.company_hash IS NULL AND NOT EXISTS
                  (SELECT FROM promoted_keys c WHERE c.submission_id = s.id AND c.company_hash IS NOT NULL)))
          LIMIT 1),
         (SELECT ARRAY[p.submission_id::text, '1'] FROM promoted_keys p CROSS JOIN LATERAL
            (SELECT s.id, s.account_id, s.company_hash FROM submission s
              WHERE s.id = p.submission_id AND s.erased_at IS NULL AND s.status IN (2, 5) AND s.id <> g.id
             OFFSET 0) s
          WHERE p.company_hash = g.company_hash
            AND p.environment = g.environment AND p.promoted_at >= g.since AND p.promoted_at <= g.received_at
            AND (g.own_account IS NULL OR s.account_id IS NOT DISTINCT FROM g.own_account)
          LIMIT 1),
         (SELECT ARRAY[p.submission_id::text, '2'] FROM promoted_keys p CROSS JOIN LATERAL
            (SELECT s.id, s.account_id, s.company_hash FROM submission s
              WHERE s.id = p.submission_id AND s.erased_at IS NULL AND s.status IN (2, 5) AND s.id <> g.id
             OFFSET 0) s
          WHERE p.telephone_hash = g.telephone_hash
            AND p.environment = g.environment AND p.promoted_at >= g.since AND p.promoted_at <= g.received_at
            AND (g.own_account IS NULL OR s.account_id IS NOT DISTINCT FROM g.own_account)
            AND (g.company_hash IS NULL OR (s.company_hash IS NULL AND NOT EXISTS
                  (SELECT FROM promoted_keys c WHERE c.submission_id = s.id AND c.company_hash IS NOT NULL)))
          LIMIT 1),
         (SELECT ARRAY[p.submission_id::text, '3'] FROM promoted_keys p CROSS JOIN LATERAL
            (SELECT s.id, s.account_id, s.company_hash FROM submission s
              WHERE s.id = p.submission_id AND s.erased_at IS NULL AND s.status IN (2, 5) AND s.id <> g.id
             OFFSET 0) s
          WHERE p.email_hash = g.email_hash
            AND p.environment = g.environment AND p.promoted_at >= g.since AND p.promoted_at <= g.received_at
            AND (g.own_account IS NULL OR s.account_id IS NOT DISTINCT FROM g.own_account)
            AND (g.company_hash IS NULL OR (s.company_hash IS NULL AND NOT EXISTS
                  (SELECT FROM promoted_keys c WHERE c.submission_id = s.id AND c.company_hash IS NOT NULL)))
          LIMIT 1)) AS duplicate,
       coalesce(
         (SELECT s.id FROM submission s
          WHERE s.company_hash = g.company_hash AND s.status = 1 AND s.awaits_staff::int = 0 AND s.work_parked_at IS NULL
            AND s.environment = g.environment AND s.received_at >= g.since
            AND (g.own_account IS NULL OR s.account_id IS NOT DISTINCT FROM g.own_account)
            AND (s.received_at, s.id) < (g.received_at, g.id) AND s.id <> ALL($1::uuid[])
          LIMIT 1),
         (SELECT s.id FROM submission s
          WHERE s.telephone_hash = g.telephone_hash AND s.status = 1 AND s.awaits_staff::int = 0 AND s.work_parked_at IS NULL
            AND s.environment = g.environment AND s.received_at >= g.since
            AND (g.own_account IS NULL OR s.account_id IS NOT DISTINCT FROM g.own_account)
            AND (s.company_hash IS NULL OR g.company_hash IS NULL)
            AND (s.received_at, s.id) < (g.received_at, g.id) AND s.id <> ALL($1::uuid[])
          LIMIT 1),
         (SELECT s.id FROM submission s
          WHERE s.email_hash = g.email_hash AND s.status = 1 AND s.awaits_staff::int = 0 AND s.work_parked_at IS NULL
            AND s.environment = g.environment AND s.received_at >= g.since
            AND (g.own_account IS NULL OR s.account_id IS NOT DISTINCT FROM g.own_account)
            AND (s.company_hash IS NULL OR g.company_hash IS NULL)
            AND (s.received_at, s.id) < (g.received_at, g.id) AND s.id <> ALL($1::uuid[])
          LIMIT 1)) AS earlier
      FROM sought g
  )
  SELECT receipt.at, m.* FROM receipt LEFT JOIN matched m ON m.duplicate IS NOT NULL OR m.earlier IS NOT NULL`;

/** A submission to find matches for; `receivedAt` is null while it is being received. */
type Sought = Receivable & { readonly receivedAt: Date | null };

async function findMatches(
  tx: pg.PoolClient,
  submissions: readonly Sought[],
  windowDays: number,
  receivedAt?: Date,
): Promise<Receipt> {
  const { rows } = await tx.query<{
    at: Date;
    id: SubmissionId | null;
    duplicate: readonly [SubmissionId, string] | null;
    earlier: SubmissionId | null;
  }>({
    name: 'find-matches',
    text: MATCH_QUERY,
    values: matchParameters(submissions, windowDays, receivedAt),
  });
  const [first] = rows;
  if (!first) throw new Error('invariant violated: no time of receipt');
  const duplicates = new Map<SubmissionId, Match>();
  const earlier = new Map<SubmissionId, SubmissionId>();
  for (const row of rows) {
    if (row.id && row.duplicate && !duplicates.has(row.id)) {
      const [id, key] = row.duplicate;
      duplicates.set(row.id, { id, key: Number(key) });
    }
    if (row.id && row.earlier) earlier.set(row.id, row.earlier);
  }
  return { receivedAt: first.at, duplicates, earlier };
}

/** Returns the parameters of MATCH_QUERY: each submission with a match key, once for each digest key in the ring. */
export function matchParameters(
  submissions: readonly Sought[],
  windowDays: number,
  receivedAt?: Date,
): unknown[] {
  const probes = submissions
    .filter(hasHash)
    .flatMap((submission) => [
      submission,
      ...submission.hashesUnderOtherKeys.map((hashes: MatchHashes) => ({ ...submission, ...hashes })),
    ]);
  return [
    probes.map(({ id }) => id),
    probes.map(({ environment }) => environment),
    probes.map(({ environment, accountId }) => (environment === Environment.SANDBOX ? accountId : null)),
    probes.map((probe) => probe.receivedAt),
    probes.map(({ companyHash }) => companyHash),
    probes.map(({ telephoneHash }) => telephoneHash),
    probes.map(({ emailHash }) => emailHash),
    windowDays,
    receivedAt ?? null,
  ];
}

/** A submission whose customer's keys are locked to record or decide it. */
interface KeyHolder extends AllMatchHashes {
  readonly accountId: AccountId;
  readonly environment: Environment;
}

/**
 * Returns the advisory locks for the match keys of submissions, in the order in which every transaction takes them.
 * Only the transaction that holds a customer's locks records and decides its submissions.
 */
export function lockKeysOf(holders: readonly KeyHolder[]): bigint[] {
  return [...new Set(holders.flatMap(locksOf))].sort((a, b) => (a < b ? -1 : 1));
}

/**
 * In the sandbox, customers of different accounts are independent. During a digest key rotation, processes with
 * different rings share at least one key: the one they all still write with, or the one they all already write with.
 */
function locksOf(holder: KeyHolder): bigint[] {
  const { environment, accountId, hashesUnderOtherKeys } = holder;
  const account =
    environment === Environment.SANDBOX ? BigInt(`0x${accountId.replaceAll('-', '').slice(16)}`) : 0n;
  const scope = BigInt.asIntN(64, account) ^ BigInt(environment);
  const hashes = [holder, ...hashesUnderOtherKeys].flatMap((all) => [
    all.companyHash,
    all.telephoneHash,
    all.emailHash,
  ]);
  return hashes.flatMap((hash) =>
    hash ? [Buffer.from(hash.buffer, hash.byteOffset, 8).readBigInt64BE(0) ^ scope] : [],
  );
}
