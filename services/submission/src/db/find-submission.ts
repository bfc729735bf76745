import { fromBinary } from '@bufbuild/protobuf';
import type { AccountId, SubmissionId } from '@supplier/lib/ids';
import { type Enrolments, TermsSchema } from '@supplier/proto/common/v1/principal';
import type { Environment } from '@supplier/proto/common/v1/status';
import type { SubmissionState } from '../domain/submission.ts';
import type { Database } from './database.ts';
import { STATE_COLUMNS, type StateRow, stateOf } from './submission-row.ts';

/** Whose submissions may be found; staff may find any. */
export interface Tenant {
  readonly accountId: AccountId;
  readonly environment: Environment;
}

/** A submission with the enrolments of its account at the time it was received. */
export interface FoundSubmission {
  readonly state: SubmissionState;
  readonly enrolments: Enrolments | undefined;
}

export const ENROLLED_COLUMNS = { ...STATE_COLUMNS, terms: true } as const;

export function enrolledOf(row: StateRow & { readonly terms: Uint8Array }): FoundSubmission {
  return { state: stateOf(row), enrolments: fromBinary(TermsSchema, row.terms).enrolments };
}

/** A submission by id: another tenant's is as absent as one that never was. */
export async function findSubmission(
  db: Database,
  id: SubmissionId,
  tenant: Tenant | undefined,
): Promise<FoundSubmission | undefined> {
  const row = await db.submission.findUnique({ where: { id, ...tenant }, select: ENROLLED_COLUMNS });
  return row ? enrolledOf(row) : undefined;
}

/** A submission by the supplier's own reference. */
export async function findSubmissionByReference(
  db: Database,
  tenant: Tenant,
  externalReference: string,
): Promise<FoundSubmission | undefined> {
  const row = await db.submission.findUnique({
    where: { accountId_environment_externalReference: { ...tenant, externalReference } },
    select: ENROLLED_COLUMNS,
  });
  return row ? enrolledOf(row) : undefined;
}
