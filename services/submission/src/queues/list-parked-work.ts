import { requestedPage } from '@supplier/lib/rpc/page-token';
import { parseId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { ListParkedWorkRequestSchema } from '@supplier/proto/submission/v1/parked_work';
import type { Context, Rpcs } from '../context.ts';

const SIZES = { usual: 100, max: 500 };

/**
 * Lists submissions whose decision, minting or pre-underwriting failed repeatedly, with the failure, longest parked
 * first. VALIDATION_ERROR for a page token that was not issued. Implements docs/contract.md, section 11.
 */
export function listParkedWork({ db }: Pick<Context, 'db'>): Rpcs['listParkedWork'] {
  return async (request) => {
    const page = requestedPage(ListParkedWorkRequestSchema, request, parsePlace, SIZES);
    const { after } = page;
    const rows = await db.submission.findMany({
      where: {
        workParkedAt: { not: null, ...(after && { gte: after.parkedAt }) },
        ...(after && { NOT: { workParkedAt: after.parkedAt, id: { lte: after.id } } }),
      },
      orderBy: [{ workParkedAt: 'asc' }, { id: 'asc' }],
      // One more than requested, to detect another page.
      take: page.size + 1,
      select: { id: true, workAttempts: true, workFailure: true, workParkedAt: true },
    });
    const parked = rows.slice(0, page.size);
    const last = rows.length > page.size ? parked.at(-1) : undefined;
    return {
      parked: parked.map(({ id, workAttempts, workFailure, workParkedAt }) => ({
        submissionId: id,
        attempts: workAttempts,
        failure: workFailure ?? '',
        ...(workParkedAt && { parkedAt: toTimestamp(workParkedAt) }),
      })),
      nextPageToken: page.tokenAfter(last && `${last.workParkedAt?.getTime()}.${last.id}`),
    };
  };
}

function parsePlace(text: string): { readonly id: string; readonly parkedAt: Date } | undefined {
  const [ms = '', uuid = ''] = text.split('.');
  const id = parseId(uuid);
  return id && /^\d{1,14}$/.test(ms) ? { id, parkedAt: new Date(Number(ms)) } : undefined;
}
