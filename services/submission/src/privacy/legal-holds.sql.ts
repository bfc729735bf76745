// SQL, because submissions are locked in sets.
import type { AccountId, SubmissionId } from '@supplier/lib/text/ids';
import type { Environment } from '@supplier/proto/common/v1/status';
import type pg from 'pg';

type Sql = Pick<pg.PoolClient, 'query'>;

/** A submission to hold, release or erase. */
export interface SubjectRow {
  readonly id: SubmissionId;
  readonly account_id: AccountId;
  readonly held: boolean;
  readonly erased_at: Date | null;
  readonly erasure_id: string | null;
}

/**
 * Locks submissions until the end of the transaction, in the order of their ids, so that a hold and an erasure cannot
 * overlap. Unknown ids are left out.
 */
export async function lockSubjects(tx: Sql, ids: readonly SubmissionId[]): Promise<SubjectRow[]> {
  await tx.query({
    name: 'lock-subjects',
    text: 'SELECT FROM submission WHERE id = ANY($1::uuid[]) ORDER BY id FOR NO KEY UPDATE',
    values: [ids],
  });
  const { rows } = await tx.query<SubjectRow>({
    name: 'read-subjects',
    text: `SELECT w.id, w.account_id, w.erased_at,
                  EXISTS (SELECT FROM legal_hold h WHERE h.submission_id = w.id) AS held,
                  (SELECT e.erasure_id FROM erasure_submission e
                    WHERE e.submission_id = w.id AND e.completed_at IS NULL) AS erasure_id
             FROM submission w WHERE w.id = ANY($1::uuid[]) ORDER BY w.id`,
    values: [ids],
  });
  return rows;
}

export async function isHeld(tx: Sql, id: SubmissionId): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'is-held',
    text: 'SELECT FROM legal_hold WHERE submission_id = $1',
    values: [id],
  });
  return rowCount === 1;
}

export interface ReferenceKey {
  readonly accountId: AccountId;
  readonly environment: Environment;
  readonly externalReference: string;
}

/** Returns the references whose submissions are under legal hold, as often as each is requested. */
export async function findHeld(sql: Sql, keys: readonly ReferenceKey[]): Promise<ReferenceKey[]> {
  const { rows } = await sql.query<{ place: string }>({
    name: 'find-held',
    text: `SELECT g.place
             FROM unnest($1::uuid[], $2::smallint[], $3::text[])
                  WITH ORDINALITY AS g(account_id, environment, external_reference, place)
             JOIN submission w ON w.account_id = g.account_id AND w.environment = g.environment
                              AND w.external_reference = g.external_reference
             JOIN legal_hold h ON h.submission_id = w.id`,
    values: [
      keys.map(({ accountId }) => accountId),
      keys.map(({ environment }) => environment),
      keys.map(({ externalReference }) => externalReference),
    ],
  });
  return rows.flatMap(({ place }) => keys[Number(place) - 1] ?? []);
}

export async function hold(tx: Sql, ids: readonly SubmissionId[], at: Date): Promise<void> {
  await tx.query({
    name: 'hold',
    text: 'INSERT INTO legal_hold (submission_id, held_at) SELECT id, $2 FROM unnest($1::uuid[]) AS u(id)',
    values: [ids, at],
  });
}

/** Releases locked submissions, and makes the erasures that waited for it due immediately. */
export async function releaseHolds(tx: Sql, ids: readonly SubmissionId[]): Promise<void> {
  await tx.query({
    name: 'release-holds',
    text: `WITH released AS (DELETE FROM legal_hold WHERE submission_id = ANY($1::uuid[]))
           UPDATE erasure_submission SET due_at = clock_timestamp()
            WHERE submission_id = ANY($1::uuid[]) AND completed_at IS NULL`,
    values: [ids],
  });
}
