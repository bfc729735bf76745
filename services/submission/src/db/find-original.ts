import type { SubmissionState } from '../domain/submission.ts';
import type { Database } from './database.ts';
import type { Tenant } from './find-submission.ts';
import { STATE_COLUMNS, stateOf } from './submission-row.ts';

/** The submission that already has a reference, with the digest of the body that made it; null once erased. */
export interface Original {
  readonly state: SubmissionState;
  readonly bodyDigest: Uint8Array | null;
}

/** Finds the original of a repeated create. */
export async function findOriginal(
  db: Database,
  tenant: Tenant,
  externalReference: string,
): Promise<Original | undefined> {
  const row = await db.submission.findUnique({
    where: { accountId_environment_externalReference: { ...tenant, externalReference } },
    select: { ...STATE_COLUMNS, bodyDigest: true },
  });
  return row ? { state: stateOf(row), bodyDigest: row.bodyDigest } : undefined;
}
