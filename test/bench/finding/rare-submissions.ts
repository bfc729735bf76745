import type pg from 'pg';

/** The rare rows among many settled submissions, and how to find them. */
export interface Rare {
  /** Owns all but a few submissions. */
  readonly accountId: string;
  /** Owns a few submissions, the oldest of all. */
  readonly smallAccountId: string;
  readonly applicationReferences: readonly string[];
  readonly submissionIds: readonly string[];
  /** The middle of the period in which submissions were received. */
  readonly middle: Date;
}

const SMALL_ACCOUNT = '01900000-0000-7000-8000-000000000001';

/**
 * Changes some of the settled submissions: the oldest get another account and are rejected or billed slowly, and some across
 * the whole table await staff or are parked. Their numbers are shares of the whole, at least one of each.
 */
export async function makeRare(pool: pg.Pool, accountId: string): Promise<Rare> {
  const oldest = (skip: number, count: number) =>
    `id IN (SELECT id FROM submission ORDER BY id OFFSET ${skip} LIMIT ${count})`;
  const scattered = (
    nth: number,
    of: number,
  ) => `get_byte(uuid_send(id), 12) * 256 + get_byte(uuid_send(id), 13) IN (
      SELECT n * ${of} + ${nth} FROM generate_series(0, ${Math.floor(65_536 / of)}) n)`;
  const undecided = `status = 1, decided_at = NULL, application_reference = NULL, application_created_at = NULL,
      billing_status = 1, billable_at = NULL`;
  await pool.query(`UPDATE submission SET account_id = '${SMALL_ACCOUNT}' WHERE ${oldest(0, 20)}`);
  await pool.query(
    `UPDATE submission SET status = 4, billing_status = 3, billable_at = NULL, not_billable_reason = 2
        WHERE ${oldest(20, 20)}`,
  );
  await pool.query(`UPDATE submission SET billing_status = 1, billable_at = NULL WHERE ${oldest(40, 20)}`);
  // One in 300 awaits a decision by staff, one in 400 a pre-underwriting review, one in 2,000 is parked.
  await pool.query(`UPDATE submission SET ${undecided}, awaits_staff = true WHERE ${scattered(1, 300)}`);
  await pool.query(
    `UPDATE application SET pre_underwriting = 1, pre_underwriting_at = created_at
        WHERE submission_id IN (SELECT id FROM submission WHERE status = 2 AND ${scattered(2, 400)})`,
  );
  await pool.query(
    `UPDATE submission SET ${undecided}, work_parked_at = received_at, work_attempts = 5, work_failure = 'Error'
        WHERE ${scattered(3, 2_000)}`,
  );
  await pool.query('VACUUM ANALYZE submission, application');
  const sample = await pool.query<{ id: string; application_reference: string }>(
    `SELECT id, application_reference FROM submission WHERE application_reference IS NOT NULL
        ORDER BY md5(id::text) LIMIT 1000`,
  );
  const middle = await pool.query<{ at: Date }>(
    'SELECT min(received_at) + (max(received_at) - min(received_at)) / 2 AS at FROM submission',
  );
  return {
    accountId,
    smallAccountId: SMALL_ACCOUNT,
    applicationReferences: sample.rows.map((row) => row.application_reference),
    submissionIds: sample.rows.map(({ id }) => id),
    middle: middle.rows[0]?.at ?? new Date(0),
  };
}
