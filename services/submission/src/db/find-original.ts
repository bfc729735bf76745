import type { Database } from './database.ts';
import { ENROLLED_COLUMNS, enrolledOf, type FoundSubmission, type Tenant } from './find-submission.ts';

/** The submission that already has a reference, with the digest of the body that made it; null once erased. */
export interface Original extends FoundSubmission {
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
    select: { ...ENROLLED_COLUMNS, bodyDigest: true },
  });
  return row ? { ...enrolledOf(row), bodyDigest: row.bodyDigest } : undefined;
}
