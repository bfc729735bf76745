import type { ErasureReason } from '@supplier/proto/submission/v1/erasures';
import type { Database } from '../store/database.ts';

/** Returns an erasure with its submissions, in the order of their ids. */
export async function readErasure(db: Database, id: string) {
  const row = await db.erasure.findUnique({
    where: { id },
    include: {
      submissions: {
        orderBy: { submissionId: 'asc' },
        include: { submission: { select: { accountId: true, environment: true, externalReference: true } } },
      },
    },
  });
  return row ?? undefined;
}

export type ErasureRow = NonNullable<Awaited<ReturnType<typeof readErasure>>>;

/** Filters of erasures. An undefined filter matches everything. */
export interface ErasureFilter {
  readonly since: Date | undefined;
  readonly inProgress: boolean;
  readonly reason: ErasureReason | undefined;
}

/** Lists matching erasures, newest first, at most `limit` of those after `after`. */
export async function listErasures(
  db: Database,
  { since, inProgress, reason }: ErasureFilter,
  after: string | undefined,
  limit: number,
) {
  const rows = await db.erasure.findMany({
    where: {
      ...(after && { id: { lt: after } }),
      ...(since && { requestedAt: { gte: since } }),
      ...(reason && { reason }),
      ...(inProgress && { submissions: { some: { completedAt: null } } }),
    },
    orderBy: { id: 'desc' },
    take: limit + 1,
    include: {
      submissions: { orderBy: { submissionId: 'asc' }, select: { submissionId: true, completedAt: true } },
    },
  });
  const page = rows.slice(0, limit);
  return { page, next: rows.length > limit ? page.at(-1)?.id : undefined };
}

export type ListedErasureRow = Awaited<ReturnType<typeof listErasures>>['page'][number];
