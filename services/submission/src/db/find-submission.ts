import type { AccountId, SubmissionId } from '@supplier/lib/ids';
import type { Environment } from '@supplier/proto/common/v1/status';
import type { SubmissionState } from '../domain/submission.ts';
import type { Database } from './database.ts';
import { STATE_COLUMNS, stateOf } from './submission-row.ts';

/** Whose submissions may be found; staff may find any. */
export interface Tenant {
  readonly accountId: AccountId;
  readonly environment: Environment;
}

/** A submission by id: another tenant's is as absent as one that never was. */
export async function findSubmission(
  db: Database,
  id: SubmissionId,
  tenant: Tenant | undefined,
): Promise<SubmissionState | undefined> {
  const row = await db.submission.findUnique({ where: { id, ...tenant }, select: STATE_COLUMNS });
  return row ? stateOf(row) : undefined;
}

/** Whose submission it is. */
export async function findOwner(db: Database, id: SubmissionId): Promise<Tenant | undefined> {
  const row = await db.submission.findUnique({
    where: { id },
    select: { accountId: true, environment: true },
  });
  return row ? { accountId: row.accountId as AccountId, environment: row.environment } : undefined;
}

/** The id of the submission that a tenant has used a reference for. */
export async function findIdByReference(
  db: Database,
  tenant: Tenant,
  externalReference: string,
): Promise<SubmissionId | undefined> {
  const row = await db.submission.findUnique({
    where: { accountId_environment_externalReference: { ...tenant, externalReference } },
    select: { id: true },
  });
  return row ? (row.id as SubmissionId) : undefined;
}

/** A submission by the supplier's own reference. */
export async function findSubmissionByReference(
  db: Database,
  tenant: Tenant,
  externalReference: string,
): Promise<SubmissionState | undefined> {
  const row = await db.submission.findUnique({
    where: { accountId_environment_externalReference: { ...tenant, externalReference } },
    select: STATE_COLUMNS,
  });
  return row ? stateOf(row) : undefined;
}
