import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { type EventId, parseId } from '@supplier/lib/ids';
import { RefusalCode, refuse } from '@supplier/lib/refusal';
import { toDate, toTimestamp } from '@supplier/lib/time';
import type { Context, Rpcs } from '../context.ts';
import { listStatusChanges as listRecorded } from '../db/list-status-changes.ts';

const DEFAULT_PAGE_SIZE = 500;

/**
 * The changes of status that were recorded in a span of time, in the order of recording, as far back as published events
 * are kept (seven days). A change that is being committed while its page is read may be missing: ask for what is a minute old.
 * VALIDATION_ERROR for a page token that no answer held. Implements docs/contract.md, section 11.
 */
export function listStatusChanges({ db }: Pick<Context, 'db'>): Rpcs['listStatusChanges'] {
  return async ({ recordedSince, recordedUntil, pageSize, pageToken }) => {
    const span = { since: dateOf(recordedSince), until: dateOf(recordedUntil) };
    const limit = pageSize === 0 ? DEFAULT_PAGE_SIZE : pageSize;
    const after = pageToken === '' ? undefined : readToken(pageToken);
    const changes = await listRecorded(db, { ...span, after, limit });
    const last = changes.length === limit ? changes.at(-1) : undefined;
    return {
      changes: changes.map(({ eventId, submissionId, accountId, environment, occurredAt }) => ({
        eventId,
        submissionId,
        accountId,
        environment,
        occurredAt: toTimestamp(occurredAt),
      })),
      nextPageToken: last ? writeToken(last.eventId) : '',
    };
  };
}

function dateOf(time: Timestamp | undefined): Date {
  if (!time) throw new Error('invariant violated: recorded_since or recorded_until is unset');
  return toDate(time);
}

/** Where the next page begins: callers hand it back as it is. */
const writeToken = (eventId: EventId) => Buffer.from(eventId).toString('base64url');

function readToken(token: string): EventId {
  const eventId = parseId<EventId>(Buffer.from(token, 'base64url').toString());
  if (!eventId) {
    throw refuse(RefusalCode.VALIDATION_ERROR, 'The page token is not one of an answer.', {
      violations: [{ path: 'page_token', message: 'must be the next_page_token of the page before' }],
    });
  }
  return eventId;
}
