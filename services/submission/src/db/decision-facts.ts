import type { SubmissionId } from '@supplier/lib/ids';
import { enqueue } from '@supplier/lib/postgres';
import { Environment } from '@supplier/proto/common/v1/status';
import type pg from 'pg';
import type { DecisionFacts, UndecidedLead } from '../domain/decide-all.ts';
import type { MatchHashes } from '../domain/match-hashes.ts';
import type { Matchable } from '../domain/matching.ts';
import { countAccepted } from './acceptance-counts.ts';
import { lockKeysOf } from './match-key-locks.ts';

export interface FactsOptions {
  readonly duplicateWindowDays: number;
  readonly now: Date;
  /** Whether the transaction recorded these leads itself and therefore holds the locks of their keys. */
  readonly keysAreHeld?: boolean;
}

/**
 * Reads what the decision of these leads depends on, under locks that are held to the end of the transaction: first
 * their customers' match keys, then their accounts' caps, each in an order that is the same in every transaction. The leads' own rows
 * are locked already. Implements docs/contract.md, section 5.
 */
export async function loadDecisionFacts(
  tx: pg.PoolClient,
  leads: readonly UndecidedLead[],
  { duplicateWindowDays, now, keysAreHeld }: FactsOptions,
): Promise<DecisionFacts> {
  const matchables = leads.map(({ matchable }) => matchable).filter(hasKey);
  if (!keysAreHeld) lockMatchKeys(tx, matchables);
  const { duplicates, earlier } = await findMatches(tx, matchables, duplicateWindowDays);
  return { duplicates, earlier, accepted: await countAccepted(tx, leads, now) };
}

function hasKey({ companyHash, telephoneHash, emailHash }: Matchable): boolean {
  return companyHash !== null || telephoneHash !== null || emailHash !== null;
}

/** Only the transaction that holds the keys of a customer decides on its submissions. */
function lockMatchKeys(tx: pg.PoolClient, matchables: readonly Matchable[]): void {
  const keys = lockKeysOf(matchables);
  if (keys.length === 0) return;
  enqueue(tx, {
    name: 'lock-match-keys',
    text: 'SELECT pg_advisory_xact_lock(k) FROM unnest($1::bigint[]) AS u(k)',
    values: [keys],
  });
}

const WINDOW = "g.received_at - $7 * interval '1 day'";
const SAME_ACCOUNT = '(g.own_account IS NULL OR s.account_id IS NOT DISTINCT FROM g.own_account)';
const SAME_SCOPE = `s.environment = g.environment AND s.received_at >= ${WINDOW} AND ${SAME_ACCOUNT}`;
// A promotion states its customer again, which does not affect submissions received before it.
const PROMOTED_IN_SCOPE = `p.environment = g.environment AND p.promoted_at >= ${WINDOW} AND p.promoted_at <= g.received_at
  AND ${SAME_ACCOUNT}`;
const ONE_COMPANY_AT_MOST = '(s.company_hash IS NULL OR g.company_hash IS NULL)';
const keysOf = (holder: string, oneCompany: string) => [
  `${holder}.company_hash = g.company_hash`,
  `${holder}.telephone_hash = g.telephone_hash AND ${oneCompany}`,
  `${holder}.email_hash = g.email_hash AND ${oneCompany}`,
];
const KEYS = keysOf('s', ONE_COMPANY_AT_MOST);
// A promoted one also names the company of its promotion.
const NO_OTHER_COMPANY = `(g.company_hash IS NULL OR (s.company_hash IS NULL AND NOT EXISTS
  (SELECT FROM promoted_keys c WHERE c.submission_id = s.id AND c.company_hash IS NOT NULL)))`;
const ACCEPTED = 's.status IN (2, 5) AND s.id <> g.id';
const acceptedBy = (key: string) =>
  `(SELECT s.id FROM submission s WHERE ${key} AND ${ACCEPTED} AND ${SAME_SCOPE} LIMIT 1)`;
// The submission is looked up by its id after the keys: the planner must not begin with everything ever accepted.
const promotedBy = (key: string) =>
  `(SELECT p.submission_id FROM promoted_keys p CROSS JOIN LATERAL
     (SELECT s.id, s.account_id, s.company_hash FROM submission s
       WHERE s.id = p.submission_id AND s.erased_at IS NULL AND ${ACCEPTED} OFFSET 0) s
     WHERE ${key} AND ${PROMOTED_IN_SCOPE} LIMIT 1)`;
const DUPLICATE = [
  ...keysOf('s', NO_OTHER_COMPANY).map(acceptedBy),
  ...keysOf('p', NO_OTHER_COMPANY).map(promotedBy),
].join(', ');
// Written so that the index of undecided work does not match: for a busy table the planner would read all of it.
const undecidedBy = (key: string) => `(SELECT s.id FROM submission s
   WHERE ${key} AND s.status = 1 AND s.awaits_staff::int = 0 AND s.work_parked_at IS NULL AND ${SAME_SCOPE}
     AND (s.received_at, s.id) < (g.received_at, g.id) AND s.id <> ALL($1::uuid[]) LIMIT 1)`;

/**
 * One probe of an index for each key and kind, so that the cost does not grow with an account. The account is compared
 * in a way that no index matches: with stale statistics of a fast-growing table the planner once chose the account's
 * index and read everything the account had ever sent.
 */
export const MATCH_QUERY = `
  SELECT * FROM (
    SELECT g.id, coalesce(${DUPLICATE}) AS duplicate, coalesce(${KEYS.map(undecidedBy).join(', ')}) AS earlier
      FROM unnest($1::uuid[], $2::smallint[], $3::uuid[], $4::timestamptz[], $5::bytea[], $6::bytea[], $8::bytea[])
           AS g(id, environment, own_account, received_at, company_hash, telephone_hash, email_hash)) AS m
   WHERE duplicate IS NOT NULL OR earlier IS NOT NULL`;

async function findMatches(tx: pg.PoolClient, matchables: readonly Matchable[], windowDays: number) {
  const duplicates = new Map<SubmissionId, SubmissionId>();
  const earlier = new Map<SubmissionId, SubmissionId>();
  if (matchables.length === 0) return { duplicates, earlier };
  const { rows } = await tx.query<{
    id: SubmissionId;
    duplicate: SubmissionId | null;
    earlier: SubmissionId | null;
  }>({
    name: 'find-matches',
    text: MATCH_QUERY,
    values: matchParameters(matchables, windowDays),
  });
  for (const row of rows) {
    if (row.duplicate) duplicates.set(row.id, row.duplicate);
    if (row.earlier) earlier.set(row.id, row.earlier);
  }
  return { duplicates, earlier };
}

/** The parameters of MATCH_QUERY: each submission once for each digest key of the ring. */
export function matchParameters(matchables: readonly Matchable[], windowDays: number): unknown[] {
  const probes = matchables.flatMap((matchable) => [
    matchable,
    ...matchable.hashesUnderOtherKeys.map((hashes: MatchHashes) => ({ ...matchable, ...hashes })),
  ]);
  return [
    probes.map(({ id }) => id),
    probes.map(({ environment }) => environment),
    probes.map(({ environment, accountId }) => (environment === Environment.SANDBOX ? accountId : null)),
    probes.map(({ receivedAt }) => receivedAt),
    probes.map(({ companyHash }) => companyHash),
    probes.map(({ telephoneHash }) => telephoneHash),
    windowDays,
    probes.map(({ emailHash }) => emailHash),
  ];
}
