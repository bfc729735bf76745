import type { SubmissionId } from '@supplier/lib/ids';
import { BillingModel, BillingStatus, Status } from '@supplier/proto/common/v1/status';
import { PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import type { Database } from './database.ts';

/** Decided before `before`, due to be billed or not under their model, and still pending; oldest first. */
export async function findUnbilled(db: Database, before: Date, most: number): Promise<SubmissionId[]> {
  const rows = await db.submission.findMany({
    where: {
      billingStatus: BillingStatus.PENDING,
      changedAt: { lt: before },
      OR: [
        { status: { in: [Status.REJECTED, Status.DUPLICATE_NOT_ACCEPTED] } },
        { status: Status.ACCEPTED, billingModel: BillingModel.ACCEPTED_SUBMISSION },
        {
          status: Status.ACCEPTED,
          billingModel: BillingModel.APPLICATION_CREATED,
          application: { isNot: null },
        },
        {
          status: Status.ACCEPTED,
          billingModel: BillingModel.PRE_UNDERWRITING_CLEARED,
          application: { preUnderwriting: PreUnderwritingState.CLEARED, preUnderwritingAt: { lt: before } },
        },
      ],
    },
    orderBy: { changedAt: 'asc' },
    take: most,
    select: { id: true },
  });
  return rows.map(({ id }) => id as SubmissionId);
}
