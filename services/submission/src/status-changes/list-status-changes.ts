import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { requestedPage } from '@supplier/lib/rpc/page-token';
import { type EventId, parseId } from '@supplier/lib/text/ids';
import { toDate, toTimestamp } from '@supplier/lib/text/time';
import { ListStatusChangesRequestSchema } from '@supplier/proto/submission/v1/status_changes';
import type { Context, Rpcs } from '../context.ts';
import { listStatusChanges as listRecorded } from './list-status-changes.sql.ts';

const SIZES = { usual: 500, max: 1_000 };

/**
 * Lists the status changes recorded in a time range, in the order of recording, as far back as published events are
 * kept (seven days). A change committed while its page is read may be missing, so request only changes at least a
 * minute old. VALIDATION_ERROR for a page token of another query. Implements docs/contract.md, section 11.
 */
export function listStatusChanges({ pool }: Pick<Context, 'pool'>): Rpcs['listStatusChanges'] {
  return async (request) => {
    const { recordedSince, recordedUntil } = request;
    const page = requestedPage(ListStatusChangesRequestSchema, request, parseId<EventId>, SIZES);
    const span = { since: dateOf(recordedSince), until: dateOf(recordedUntil) };
    const changes = await listRecorded(pool, { ...span, after: page.after, limit: page.size });
    const last = changes.length === page.size ? changes.at(-1) : undefined;
    return {
      changes: changes.map((change) => ({ ...change, occurredAt: toTimestamp(change.occurredAt) })),
      nextPageToken: page.tokenAfter(last?.eventId),
    };
  };
}

function dateOf(time: Timestamp | undefined): Date {
  if (!time) throw new Error('invariant violated: recorded_since or recorded_until is unset');
  return toDate(time);
}
