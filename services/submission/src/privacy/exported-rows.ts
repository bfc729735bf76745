import type { SubmissionId } from '@supplier/lib/text/ids';
import type { Database } from '../store/database.ts';

/** More than a submission can have, to bound what one call reads. */
const MAX_ROWS = 1_000;

/** Everything that this service holds of the applicant of a submission, still sealed; undefined when there is none. */
export async function readForExport(db: Database, id: SubmissionId) {
  const row = await db.submission.findUnique({
    where: { id },
    omit: {
      bodyDigest: true,
      bodyFingerprint: true,
      companyHash: true,
      telephoneHash: true,
      emailHash: true,
    },
    include: {
      application: true,
      legalHold: true,
      contactCorrections: { orderBy: { revision: 'asc' }, take: MAX_ROWS },
      operationKeys: {
        select: { operation: true, appliedAt: true },
        orderBy: { appliedAt: 'asc' },
        take: MAX_ROWS,
      },
      journeyLinks: {
        select: { kind: true, createdAt: true, expiresAt: true, usedAt: true, endedAt: true },
        orderBy: { createdAt: 'asc' },
        take: MAX_ROWS,
      },
    },
  });
  return row ?? undefined;
}

export type RowForExport = NonNullable<Awaited<ReturnType<typeof readForExport>>>;
