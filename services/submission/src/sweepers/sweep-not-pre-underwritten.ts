import type { SubmissionId } from '@supplier/lib/ids';
import { Status } from '@supplier/proto/common/v1/status';
import { PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import type { Context } from '../context.ts';
import { preUnderwrite } from '../lifecycle/pre-underwrite.ts';

const STALE_MS = 10_000;
const MOST = 200;

/** Runs pre-underwriting on Applications it has passed by. One that waits for staff has a time, and is left alone. */
export async function sweepNotPreUnderwritten(context: Context): Promise<number> {
  const stale = await context.db.application.findMany({
    where: {
      preUnderwriting: PreUnderwritingState.PENDING,
      preUnderwritingAt: null,
      submission: { status: Status.ACCEPTED },
      createdAt: { lt: new Date(context.clock.now().getTime() - STALE_MS) },
    },
    orderBy: { createdAt: 'asc' },
    take: MOST,
    select: { submissionId: true },
  });
  for (const { submissionId } of stale) {
    await context.db.$transaction((tx) => preUnderwrite(context, tx, submissionId as SubmissionId));
  }
  return stale.length;
}
