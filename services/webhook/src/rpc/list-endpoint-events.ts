import { type AccountId, type EventId, parseId } from '@supplier/lib/ids';
import { invalid, requestedId } from '@supplier/lib/refusal';
import { toDate } from '@supplier/lib/time';
import type { DeliveryState } from '@supplier/proto/webhook/v1/webhook';
import type { Context, Rpcs } from '../context.ts';
import { findEndpoint } from '../db/endpoints.ts';
import { type EventPosition, listEndpointEvents as listRecorded } from '../db/read-events.ts';
import type { EventState } from '../domain/event.ts';
import { eventMessage, eventStateOf } from '../messages/event-message.ts';
import { requestedEnvironment } from '../requests/environment.ts';
import { noEndpoint } from '../requests/refusals.ts';

const DEFAULT_PAGE_SIZE = 50;

/**
 * The events of an endpoint, latest recorded first, page by page. What was dropped before there was an endpoint belongs
 * to none: it is among the events of its submission. NOT_FOUND without an endpoint, VALIDATION_ERROR for a state that
 * does not exist or a page token that no answer held. Implements docs/contract.md, section 7.
 */
export function listEndpointEvents({ db }: Context): Rpcs['listEndpointEvents'] {
  return async (request) => {
    const accountId = requestedId<AccountId>('account_id', request.accountId);
    const environment = requestedEnvironment(request.environment);
    const states = request.states.map(requestedState);
    const after = request.pageToken === '' ? undefined : readToken(request.pageToken);
    const limit = request.pageSize === 0 ? DEFAULT_PAGE_SIZE : request.pageSize;
    const endpoint = await findEndpoint(db, accountId, environment);
    if (!endpoint) throw noEndpoint();

    const recordedSince = request.recordedSince && toDate(request.recordedSince);
    const page = { endpointId: endpoint.endpointId, states, recordedSince, after };
    // One more than requested shows whether there is another page.
    const found = await listRecorded(db, { ...page, limit: limit + 1 });
    const events = found.slice(0, limit);
    const last = found.length > limit ? events.at(-1) : undefined;
    return {
      events: events.map((event) => eventMessage(event)),
      nextPageToken: last ? writeToken(last) : '',
    };
  };
}

function requestedState(state: DeliveryState, index: number): EventState {
  const name = eventStateOf(state);
  if (!name) throw invalid(`states[${index}]`, 'must be a delivery state');
  return name;
}

/** Where the next page begins: callers hand it back as it is. */
function writeToken({ recordedAt, eventId }: EventPosition): string {
  return Buffer.from(`${recordedAt.getTime()}.${eventId}`).toString('base64url');
}

function readToken(token: string): EventPosition {
  const [, ms = '', id = ''] =
    /^(\d{1,14})\.([\w-]{36})$/.exec(Buffer.from(token, 'base64url').toString()) ?? [];
  const eventId = parseId<EventId>(id);
  if (!eventId) throw invalid('page_token', 'must be the next_page_token of the page before');
  return { recordedAt: new Date(Number(ms)), eventId };
}
