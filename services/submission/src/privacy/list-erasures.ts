import { requestedPage } from '@supplier/lib/rpc/page-token';
import { parseId } from '@supplier/lib/text/ids';
import { toDate } from '@supplier/lib/text/time';
import { ListErasuresRequestSchema } from '@supplier/proto/submission/v1/erasures';
import type { Context, PrivacyRpcs } from '../context.ts';
import { listedErasure } from './erasure-message.ts';
import { listErasures as listMatching } from './read-erasures.sql.ts';

/** Erasures, newest first, page by page. VALIDATION_ERROR for a page token of another query. Implements docs/contract.md, section 10. */
export function listErasures({ pool }: Context): PrivacyRpcs['listErasures'] {
  return async (request) => {
    const page = requestedPage(ListErasuresRequestSchema, request, parseId<string>);
    const { since, inProgress, reason } = request;
    const filter = { since: since && toDate(since), inProgress, reason: reason || undefined };
    const { rows, next } = await listMatching(pool, filter, page.after, page.size);
    return { erasures: rows.map(listedErasure), nextPageToken: page.tokenAfter(next) };
  };
}
