import { type ParkedRow, parkedRows } from '@supplier/lib/data/work';
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
export function listParkedWork({ pool }: Pick<Context, 'pool'>): Rpcs['listParkedWork'] {
  return async (request) => {
    const page = requestedPage(ListParkedWorkRequestSchema, request, parsePlace, SIZES);
    // One more than requested, to detect another page.
    const rows = await parkedRows(pool, 'submission', page.size + 1, page.after);
    const parked = rows.slice(0, page.size);
    const last = rows.length > page.size ? parked.at(-1) : undefined;
    return {
      parked: parked.map(({ id, attempts, failure, parkedAt }) => ({
        submissionId: id,
        attempts,
        failure,
        parkedAt: toTimestamp(parkedAt),
      })),
      nextPageToken: page.tokenAfter(last && `${last.parkedAt.getTime()}.${last.id}`),
    };
  };
}

function parsePlace(text: string): Pick<ParkedRow, 'id' | 'parkedAt'> | undefined {
  const [ms = '', uuid = ''] = text.split('.');
  const id = parseId(uuid);
  return id && /^\d{1,14}$/.test(ms) ? { id, parkedAt: new Date(Number(ms)) } : undefined;
}
