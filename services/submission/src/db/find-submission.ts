import type { AccountId, SubmissionId } from '@supplier/lib/ids';
import type { Environment } from '@supplier/proto/common/v1/status';
import type pg from 'pg';
import type { SubmissionState } from '../domain/submission.ts';
import { STATE_COLUMNS, type StateRow, stateOf } from './submission-row.ts';

/** Whose submissions may be found; staff may find any. */
export interface Tenant {
  readonly accountId: AccountId;
  readonly environment: Environment;
}

/** A submission by id: another tenant's is as absent as one that never was. */
export async function findSubmission(
  pool: pg.Pool,
  id: SubmissionId,
  tenant: Tenant | undefined,
): Promise<SubmissionState | undefined> {
  const { rows } = await pool.query<StateRow>({
    name: 'find-submission',
    text: `SELECT ${STATE_COLUMNS} FROM submission w WHERE w.id = $1`,
    values: [id],
  });
  const [row] = rows;
  return row && isOf(row, tenant) ? stateOf(row) : undefined;
}

function isOf(row: StateRow, tenant: Tenant | undefined): boolean {
  return !tenant || (row.account_id === tenant.accountId && row.environment === tenant.environment);
}

/** Whose submission it is. */
export async function findOwner(pool: pg.Pool, id: SubmissionId): Promise<Tenant | undefined> {
  const { rows } = await pool.query<{ account_id: AccountId; environment: Environment }>({
    name: 'find-owner',
    text: 'SELECT account_id, environment FROM submission WHERE id = $1',
    values: [id],
  });
  const [row] = rows;
  return row && { accountId: row.account_id, environment: row.environment };
}

/** A submission by the supplier's own reference, with the digest of the body that made it; null once erased. */
export async function findSubmissionByReference(
  pool: pg.Pool,
  { accountId, environment }: Tenant,
  externalReference: string,
): Promise<{ state: SubmissionState; bodyDigest: Uint8Array | null } | undefined> {
  const { rows } = await pool.query<StateRow & { body_digest: Buffer | null }>({
    name: 'find-submission-by-reference',
    text: `SELECT ${STATE_COLUMNS}, w.body_digest FROM submission w
            WHERE w.account_id = $1 AND w.environment = $2 AND w.external_reference = $3`,
    values: [accountId, environment, externalReference],
  });
  const [row] = rows;
  return row && { state: stateOf(row), bodyDigest: row.body_digest };
}
