import type { MessageInitShape } from '@bufbuild/protobuf';
import { auditCall } from '@supplier/lib/governance/audit';
import { requestedPage } from '@supplier/lib/rpc/page-token';
import { invalid, requestedId } from '@supplier/lib/rpc/refusal';
import { type AccountId, type EventId, parseId, type SubmissionId } from '@supplier/lib/text/ids';
import { optionalTimestamp, toDate, toTimestamp } from '@supplier/lib/text/time';
import {
  type AttemptSchema,
  DeliveryState,
  EventChange as EventChangeCode,
  type EventSchema,
  ListEndpointEventsRequestSchema,
} from '@supplier/proto/webhook/v1/webhook';
import type { Context, Rpcs } from '../context.ts';
import { EVENT_STATES, type EventChange, type EventState, environmentOf } from '../model/event.ts';
import { noEndpoint, noEvent, requestedEnvironment } from '../requests.ts';
import { inTransaction } from '../store/database.ts';
import { findEndpoint } from '../store/endpoints.ts';
import {
  type AttemptRecord,
  type EventPosition,
  type EventRecord,
  findAnswerHeads,
  findEvent,
  listEvents as listEventsOf,
  listEndpointEvents as listRecorded,
} from '../store/events.ts';
import { answerHeadAad } from '../store/sealed-values.ts';

/**
 * Returns one event with all stored data about its attempts, including the beginning of each response. A response may
 * repeat the request, including a customer journey link, so every read requires a purpose and is audited. NOT_FOUND for
 * an unknown event. Implements docs/contract.md, sections 7 and 10.
 */
export function getEvent({ db, clock, keyRing }: Context): Rpcs['getEvent'] {
  return async (request, call) => {
    const purpose = request.purpose.trim();
    const eventId = requestedId<EventId>('event_id', request.eventId);
    const found = await inTransaction(db, async (tx) => {
      const event = await findEvent(tx, eventId);
      if (!event) return undefined;
      const { submissionId, environment } = event;
      await auditCall(tx, call, {
        at: clock.now(),
        target: submissionId,
        accountId: event.accountId,
        after: { eventId, environment },
        purpose,
      });
      return { event, sealed: await findAnswerHeads(tx, eventId) };
    });
    if (!found) throw noEvent();
    const opened = [...found.sealed].map(
      ([number, sealed]) => [number, keyRing.open(sealed, answerHeadAad(eventId, number))] as const,
    );
    return eventMessage(found.event, new Map(opened));
  };
}

/** More events than one submission normally gets. */
const LIMIT = 500;

/**
 * Lists the events recorded for a submission, oldest first, with their attempts, including dropped ones, for which no
 * endpoint was active. Empty for a submission without recorded events, whether or not it exists: this service does not
 * know submissions. Implements docs/contract.md, section 7.
 */
export function listEvents({ db }: Context): Rpcs['listEvents'] {
  return async (request) => {
    const submissionId = requestedId<SubmissionId>('submission_id', request.submissionId);
    const events = await listEventsOf(db, submissionId, LIMIT);
    return { events: events.map((event) => eventMessage(event)) };
  };
}

/**
 * Lists the events of an endpoint, latest recorded first, page by page. Events dropped before there was an endpoint
 * belong to none and are only listed by submission. NOT_FOUND without an endpoint, VALIDATION_ERROR for a state that
 * does not exist or a page token of another query. Implements docs/contract.md, section 7.
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
    // Fetches one more than requested to detect another page.
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

const STATES: Record<EventState, DeliveryState> = {
  pending: DeliveryState.PENDING,
  delivered: DeliveryState.DELIVERED,
  exhausted: DeliveryState.EXHAUSTED,
  superseded: DeliveryState.SUPERSEDED,
  expired: DeliveryState.EXPIRED,
  dropped: DeliveryState.DROPPED,
};

const CHANGES: Record<EventChange, EventChangeCode> = {
  decided: EventChangeCode.DECIDED,
  billing_decided: EventChangeCode.BILLING_DECIDED,
  returned: EventChangeCode.RETURNED,
  handoff_available: EventChangeCode.HANDOFF_AVAILABLE,
  test: EventChangeCode.TEST,
  redelivery: EventChangeCode.REDELIVERY,
};

const NO_HEADS: ReadonlyMap<number, Uint8Array> = new Map();

/** Returns the state with this number; undefined when it is unspecified or unknown to this build. */
export function eventStateOf(state: DeliveryState): EventState | undefined {
  return EVENT_STATES.find((name) => STATES[name] === state);
}

/**
 * Returns the RPC message of an event with its attempts; `heads` are the decrypted beginnings of the responses, by
 * number.
 */
export function eventMessage(
  event: EventRecord,
  heads: ReadonlyMap<number, Uint8Array> = NO_HEADS,
): MessageInitShape<typeof EventSchema> {
  return {
    eventId: event.eventId,
    submissionId: event.submissionId,
    accountId: event.accountId,
    environment: environmentOf(event.environment),
    change: CHANGES[event.change],
    occurredAt: toTimestamp(event.occurredAt),
    recordedAt: toTimestamp(event.recordedAt),
    state: STATES[event.state],
    nextAttemptAt: optionalTimestamp(event.nextAttemptAt),
    settledAt: optionalTimestamp(event.settledAt),
    bodyErasedAt: optionalTimestamp(event.bodyErasedAt),
    supersededBy: event.supersededBy ?? '',
    redeliveredAs: event.redeliveredAs ?? '',
    attempts: event.attempts.map((attempt) => attemptMessage(attempt, heads.get(attempt.number))),
  };
}

function attemptMessage(
  attempt: AttemptRecord,
  head: Uint8Array | undefined,
): MessageInitShape<typeof AttemptSchema> {
  return {
    number: attempt.number,
    startedAt: toTimestamp(attempt.startedAt),
    endedAt: optionalTimestamp(attempt.endedAt),
    statusCode: attempt.statusCode ?? undefined,
    errorClass: attempt.errorClass ?? '',
    keyFingerprint: attempt.keyFingerprint,
    dnsMs: attempt.dnsMs ?? undefined,
    connectMs: attempt.connectMs ?? undefined,
    tlsMs: attempt.tlsMs ?? undefined,
    statusMs: attempt.statusMs ?? undefined,
    resolvedIp: attempt.resolvedIp ?? '',
    tlsVersion: attempt.tlsVersion ?? '',
    ...(head && { answerHead: head }),
    answerErased: Boolean(attempt.answerErasedAt),
  };
}
