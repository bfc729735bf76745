// SQL, because a dry run reads long ranges of submissions, and effects are counted in one statement.
import { type AccountId, firstIdAt, type SubmissionId } from '@supplier/lib/text/ids';
import { type Environment, Status } from '@supplier/proto/common/v1/status';
import type pg from 'pg';
import { type DecidedStatus, STAFF_POLICY } from '../model/policy/decision-policy.ts';

type Sql = Pick<pg.Pool, 'query'>;

/** Maximum submissions examined for the effect of one rule. */
const MAX_EXAMINED = 5_000;
const MAX_VERSIONS = 50;

/** Filters of a dry run. An undefined filter matches everything. */
export interface DecidedFilter {
  readonly accountId: AccountId | undefined;
  readonly environment: Environment | undefined;
}

/**
 * Returns the inclusive range of ids of the latest submissions, at most `max`, and their number; undefined if there are none. Uses the account's index for one account.
 */
export async function latestSubmissions(
  session: Sql,
  { accountId, environment }: DecidedFilter,
  max: number,
) {
  const among =
    accountId === undefined
      ? 'SELECT w.id FROM submission w'
      : `SELECT w.id FROM submission w WHERE w.account_id = $2 AND w.environment = ANY($3::smallint[])`;
  const { rows } = await session.query<{
    first: SubmissionId | null;
    last: SubmissionId | null;
    count: number;
  }>(
    `SELECT min(id::text) AS first, max(id::text) AS last, count(*)::int AS count
       FROM (${among} ORDER BY w.id DESC LIMIT $1) AS s`,
    accountId === undefined ? [max] : [max, accountId, environment === undefined ? [1, 2] : [environment]],
  );
  const [range] = rows;
  return range?.first && range.last
    ? { first: range.first, last: range.last, count: range.count }
    : undefined;
}

/** The columns of a submission that a dry run reads. */
export interface DecidedRow {
  readonly id: SubmissionId;
  readonly account_id: AccountId;
  readonly environment: Environment;
  readonly status: Status;
  readonly decided_at: Date | null;
  readonly decision_policy: string | null;
  readonly decision_rule: string | null;
  readonly contact_checks: number;
  readonly terms: Buffer;
  readonly enquiry: Buffer | null;
}

/** Returns the submissions of a range after an id, in the order of ids, at most `limit`. */
export async function decidedSubmissions(
  session: Sql,
  { accountId, environment }: DecidedFilter,
  { from, last, limit }: { readonly from: string; readonly last: SubmissionId; readonly limit: number },
): Promise<DecidedRow[]> {
  const ofAccount = 'AND w.account_id = $4 AND w.environment = ANY($5::smallint[])';
  const environments = environment === undefined ? [1, 2] : [environment];
  const { rows } = await session.query<DecidedRow>(
    `SELECT w.id, w.account_id, w.environment, w.status, w.decided_at, w.decision_policy, w.decision_rule, w.contact_checks,
            w.terms, w.enquiry
       FROM submission w WHERE w.id > $1 AND w.id <= $2 ${accountId === undefined ? '' : ofAccount}
      ORDER BY w.id LIMIT $3`,
    accountId === undefined ? [from, last, limit] : [from, last, limit, accountId, environments],
  );
  return rows;
}

/**
 * Returns the decision by policy; undefined if a policy did not decide, or the submission is erased. A returned
 * submission had been accepted.
 */
export function decidedStatusOf(row: DecidedRow): DecidedStatus | undefined {
  if (row.decision_policy === null || row.decision_policy === STAFF_POLICY) return undefined;
  if (row.decision_policy === 'sandbox' || row.enquiry === null) return undefined;
  switch (row.status) {
    case Status.ACCEPTED:
    case Status.RETURNED:
      return Status.ACCEPTED;
    case Status.REJECTED:
    case Status.DUPLICATE_NOT_ACCEPTED:
      return row.status;
    case Status.RECEIVED:
    case Status.UNSPECIFIED:
      return undefined;
  }
}

/** The decisions of a rule among the latest 5,000. */
export interface RuleEffect {
  readonly lookedAt: number;
  readonly lookedBackTo: Date | null;
  readonly versions: readonly { readonly version: string; readonly decided: number }[];
}

/** Counts the decisions of a rule among the latest submissions, or Applications, since a time, at most 5,000. */
export async function ruleEffect(
  session: Sql,
  { rule, isPreUnderwriting, since }: { rule: string; isPreUnderwriting: boolean; since: Date },
): Promise<RuleEffect> {
  const latest = isPreUnderwriting
    ? `SELECT a.created_at AS at, a.pre_underwriting_policy AS version, $1 = ANY(a.pre_underwriting_reasons) AS by_rule
         FROM application a WHERE a.id >= $2 ORDER BY a.id DESC LIMIT ${MAX_EXAMINED}`
    : `SELECT w.received_at AS at, w.decision_policy AS version, coalesce(w.decision_rule = $1, false) AS by_rule
         FROM submission w WHERE w.id >= $2 ORDER BY w.id DESC LIMIT ${MAX_EXAMINED}`;
  const { rows } = await session.query<{
    looked_at: number;
    looked_back_to: Date | null;
    versions: { version: string; decided: number }[] | null;
  }>(
    `WITH latest AS MATERIALIZED (${latest})
     SELECT count(*)::int AS looked_at, min(at) AS looked_back_to,
            (SELECT json_agg(v) FROM (
               SELECT coalesce(version, '') AS version, count(*)::int AS decided FROM latest WHERE by_rule
                GROUP BY 1 ORDER BY 2 DESC LIMIT ${MAX_VERSIONS}) AS v) AS versions
       FROM latest`,
    [rule, firstIdAt(since.getTime())],
  );
  const [found] = rows;
  return {
    lookedAt: found?.looked_at ?? 0,
    lookedBackTo: found?.looked_back_to ?? null,
    versions: found?.versions ?? [],
  };
}

/** Reports whether the limit was not reached, so that the counts are complete. */
export const isComplete = ({ lookedAt }: RuleEffect): boolean => lookedAt < MAX_EXAMINED;
