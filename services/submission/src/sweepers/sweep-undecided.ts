import type { SubmissionId } from '@supplier/lib/ids';
import { Status } from '@supplier/proto/common/v1/status';
import type { Context } from '../context.ts';
import { decideAutomatically } from '../lifecycle/decide-automatically.ts';

const STALE_MS = 10_000;
const MOST = 200;

/** Decides what should have been decided long ago, oldest first: the event bus is not needed for it. */
export async function sweepUndecided(context: Context): Promise<number> {
  const stale = await context.db.submission.findMany({
    where: {
      status: Status.RECEIVED,
      awaitsStaff: false,
      receivedAt: { lt: new Date(context.clock.now().getTime() - STALE_MS) },
    },
    orderBy: { receivedAt: 'asc' },
    take: MOST,
    select: { id: true },
  });
  for (const { id } of stale) await decideAutomatically(context, id as SubmissionId);
  return stale.length;
}
