import type { SubmissionId } from '@supplier/lib/ids';
import { ApplicationMinting } from '@supplier/proto/common/v1/principal';
import { Level, Status } from '@supplier/proto/common/v1/status';
import type { Context } from '../context.ts';
import { mintOnAcceptance } from '../lifecycle/mint-on-acceptance.ts';

const STALE_MS = 10_000;
const MOST = 200;

/** Mints Applications that should have followed their acceptance long ago: the event bus is not needed for it. */
export async function sweepUnminted(context: Context): Promise<number> {
  const stale = await context.db.submission.findMany({
    where: {
      level: Level.BASIC,
      status: Status.ACCEPTED,
      applicationMinting: ApplicationMinting.ON_ACCEPTANCE,
      applicationReference: null,
      enquiry: { not: null },
      decidedAt: { lt: new Date(context.clock.now().getTime() - STALE_MS) },
    },
    orderBy: { decidedAt: 'asc' },
    take: MOST,
    select: { id: true },
  });
  for (const { id } of stale) {
    await context.db.$transaction((tx) => mintOnAcceptance(context, tx, id as SubmissionId));
  }
  return stale.length;
}
