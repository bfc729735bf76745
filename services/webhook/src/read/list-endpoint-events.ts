import { requestedPage } from '@supplier/lib/rpc/page-token';
import { invalid, requestedId } from '@supplier/lib/rpc/refusal';
import { type AccountId, type EventId, parseId } from '@supplier/lib/text/ids';
import { toDate } from '@supplier/lib/text/time';
import { type DeliveryState, ListEndpointEventsRequestSchema } from '@supplier/proto/webhook/v1/webhook';
import type { Context, Rpcs } from '../context.ts';
import type { EventState } from '../model/event.ts';
import { noEndpoint } from '../refusals.ts';
import { requestedEnvironment } from '../requested-environment.ts';
import { findEndpoint } from '../store/endpoints.ts';
import { type EventPosition, listEndpointEvents as listRecorded } from '../store/events.ts';
import { eventMessage, eventStateOf } from './event-message.ts';

/**
 * The events of an endpoint, latest recorded first, page by page. Events dropped before there was an endpoint belong to
 * none and are only listed by submission. NOT_FOUND without an endpoint, VALIDATION_ERROR for a state that does not
 * exist or a page token of another query. Implements docs/contract.md, section 7.
 */
export function listEndpointEvents({ db }: Context): Rpcs['listEndpointEvents'] {
  return async (request) => {
    const accountId = requestedId<AccountId>('account_id', request.accountId);
    const environment = requestedEnvironment(request.environment);
    const states = request.states.map(requestedState);
    const page = requestedPage(ListEndpointEventsRequestSchema, request, parsePosition);
    const endpoint = await findEndpoint(db, accountId, environment);
    if (!endpoint) throw noEndpoint();

    const recordedSince = request.recordedSince && toDate(request.recordedSince);
    const { endpointId } = endpoint;
    // One more than requested shows whether there is another page.
    const limit = page.size + 1;
    const found = await listRecorded(db, { endpointId, states, recordedSince, after: page.after, limit });
    const events = found.slice(0, page.size);
    const last = found.length > page.size ? events.at(-1) : undefined;
    return {
      events: events.map((event) => eventMessage(event)),
      nextPageToken: page.tokenAfter(last && `${last.recordedAt.getTime()}.${last.eventId}`),
    };
  };
}

function requestedState(state: DeliveryState, index: number): EventState {
  const name = eventStateOf(state);
  if (!name) throw invalid(`states[${index}]`, 'must be a delivery state');
  return name;
}

function parsePosition(text: string): EventPosition | undefined {
  const [, ms = '', id = ''] = /^(\d{1,14})\.([\w-]{36})$/.exec(text) ?? [];
  const eventId = parseId<EventId>(id);
  return eventId && { recordedAt: new Date(Number(ms)), eventId };
}
