import type { Databases } from './databases.ts';

const PRODUCTION = 2;
const SETTLED_STATUS = { accepted: 2, billable: 2 };

/** A submission as the submission service stores it. */
export interface StoredSubmission {
  readonly id: string;
  readonly reference: string;
  readonly accepted: boolean;
  readonly billable: boolean;
}

/** Returns the production submissions of an account. */
export async function storedSubmissions(
  databases: Databases,
  accountId: string,
): Promise<StoredSubmission[]> {
  return databases.rows<StoredSubmission>(
    'submission',
    `SELECT id, external_reference AS reference, status = $3 AS accepted, billing_status = $4 AS billable
     FROM submission WHERE account_id = $1 AND environment = $2`,
    [accountId, PRODUCTION, SETTLED_STATUS.accepted, SETTLED_STATUS.billable],
  );
}

/** Returns the event ids of these submissions' changes that suppliers are notified of, published or not. */
export async function storedChanges(
  databases: Databases,
  submissions: readonly StoredSubmission[],
): Promise<{ readonly eventId: string; readonly submissionId: string }[]> {
  return databases.rows(
    'submission',
    `SELECT event_id AS "eventId", aggregate_id AS "submissionId"
     FROM domain_event WHERE aggregate_id = ANY($1) AND type LIKE '%.SubmissionStatusChanged'`,
    [submissions.map(({ id }) => id)],
  );
}

/** Returns the states of webhook events, by id. */
export async function webhookStates(databases: Databases, accountId: string): Promise<Map<string, string>> {
  const rows = await databases.rows<{ id: string; state: string }>(
    'webhook',
    'SELECT id, state::text AS state FROM event WHERE account_id = $1',
    [accountId],
  );
  return new Map(rows.map(({ id, state }) => [id, state]));
}

/** Returns how often each submission of an account was charged and credited. */
export async function ledgerLines(
  databases: Databases,
  accountId: string,
): Promise<Map<string, { readonly charges: number; readonly credits: number }>> {
  const rows = await databases.rows<{ id: string; charges: number; credits: number }>(
    'billing',
    `SELECT submission_id AS id, count(*) FILTER (WHERE kind = 'charge')::int AS charges,
            count(*) FILTER (WHERE kind = 'credit')::int AS credits
     FROM ledger_entry WHERE account_id = $1 GROUP BY 1`,
    [accountId],
  );
  return new Map(rows.map(({ id, charges, credits }) => [id, { charges, credits }]));
}

/** Returns the services with permanently failed events or submissions, with their counts. */
export async function parkedRows(databases: Databases): Promise<string[]> {
  const parked: string[] = [];
  for (const service of ['submission', 'document', 'billing', 'webhook']) {
    const [row] = await databases.rows<{ count: number }>(
      service,
      'SELECT count(*)::int AS count FROM failed_event',
    );
    if (row && row.count > 0) parked.push(`${row.count} of ${service}`);
  }
  const [submissions] = await databases.rows<{ count: number }>(
    'submission',
    'SELECT count(*)::int AS count FROM submission WHERE work_parked_at IS NOT NULL',
  );
  return submissions && submissions.count > 0 ? [...parked, `${submissions.count} leads`] : parked;
}
