import type { AccountId, SubmissionId } from '@supplier/lib/ids';
import type pg from 'pg';
import type { BillingModel, Environment } from '../domain/billing-decision.ts';
import type { Lead } from '../domain/lead.ts';
import type { PendingLead } from '../domain/pending-lead.ts';
import { LEAD, type LeadRow, leadOf } from './lead-row.ts';

type Sql = Pick<pg.Pool | pg.PoolClient, 'query'>;

/** How many leads one page looks at: what a filter leaves out costs, too. */
const MAX_LOOKED_AT = 5_000;
/** How many leads are counted among. */
const MAX_COUNTED = 10_000;

/** Which pending leads: those of smaller ids were received before those of larger ones. */
export interface PendingFilter {
  readonly accountId: AccountId | undefined;
  readonly before: SubmissionId;
}

export interface PendingPage {
  readonly leads: readonly PendingLead[];
  /** Behind which lead the next page begins; undefined when there is none. */
  readonly next: SubmissionId | undefined;
}

/** Pending leads after an id, at most `limit`, from the next 5,000 in the order of their receipt. */
export async function listPendingLeads(
  sql: Sql,
  { accountId, before }: PendingFilter,
  after: SubmissionId | undefined,
  limit: number,
): Promise<PendingPage> {
  const { rows } = await sql.query<{
    submission_id: SubmissionId;
    account_id: AccountId | null;
    environment: Environment;
    billing_model: BillingModel;
    looked_at: string;
  }>({
    name: 'list-pending-leads',
    text: `WITH seen AS MATERIALIZED (
             SELECT submission_id, account_id FROM lead
              WHERE billing_status = 'pending' AND submission_id < $1 AND submission_id > $2
              ORDER BY submission_id LIMIT ${MAX_LOOKED_AT}),
           chosen AS (
             SELECT submission_id FROM seen WHERE $3::uuid IS NULL OR account_id = $3
              ORDER BY submission_id LIMIT $4)
           SELECT l.submission_id, l.account_id, l.environment, l.billing_model, NULL AS looked_at
             FROM chosen JOIN lead l USING (submission_id)
           UNION ALL
           (SELECT submission_id, NULL, NULL, NULL, (SELECT count(*) FROM seen)
              FROM seen ORDER BY submission_id DESC LIMIT 1)
           ORDER BY looked_at NULLS FIRST, submission_id`,
    values: [before, after ?? NO_ID, accountId, limit],
  });
  const leads = rows.flatMap((row) =>
    row.account_id === null
      ? []
      : [
          {
            submissionId: row.submission_id,
            accountId: row.account_id,
            environment: row.environment,
            billingModel: row.billing_model,
          },
        ],
  );
  const seen = rows.find((row) => row.account_id === null);
  if (leads.length === limit) return { leads, next: leads.at(-1)?.submissionId };
  const isMore = Number(seen?.looked_at ?? 0) === MAX_LOOKED_AT;
  return { leads, next: isMore ? seen?.submission_id : undefined };
}

export interface PendingCount {
  readonly count: number;
  /** Whether there were more than those that were counted among. */
  readonly isAtLeast: boolean;
  readonly oldest: SubmissionId | undefined;
}

/** How many pending leads there are among the 10,000 that have waited longest, and the oldest of them. */
export async function countPendingLeads(
  sql: Sql,
  { accountId, before }: PendingFilter,
): Promise<PendingCount> {
  const { rows } = await sql.query<{ seen: number; count: number; oldest: SubmissionId | null }>({
    name: 'count-pending-leads',
    text: `WITH seen AS (
             SELECT submission_id, account_id FROM lead
              WHERE billing_status = 'pending' AND submission_id < $1 ORDER BY submission_id LIMIT ${MAX_COUNTED + 1}),
           counted AS MATERIALIZED (
             SELECT submission_id, account_id, row_number() OVER (ORDER BY submission_id) AS place FROM seen)
           SELECT (SELECT count(*)::int FROM counted) AS seen,
                  count(*) FILTER (WHERE place <= ${MAX_COUNTED})::int AS count,
                  (array_agg(submission_id ORDER BY place))[1] AS oldest
             FROM counted WHERE $2::uuid IS NULL OR account_id = $2`,
    values: [before, accountId],
  });
  const [found] = rows;
  if (!found) throw new Error('invariant violated: an aggregate without a row');
  return { count: found.count, isAtLeast: found.seen > MAX_COUNTED, oldest: found.oldest ?? undefined };
}

/** The lead, locked until the transaction ends. */
export async function lockLead(tx: pg.PoolClient, submissionId: SubmissionId): Promise<Lead | undefined> {
  const { rows } = await tx.query<LeadRow>({
    name: 'lock-lead',
    text: `SELECT ${LEAD.names} FROM lead WHERE submission_id = $1 FOR UPDATE`,
    values: [submissionId],
  });
  return rows.map(leadOf)[0];
}

const NO_ID = '00000000-0000-0000-0000-000000000000';
