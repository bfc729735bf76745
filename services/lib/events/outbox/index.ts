import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { EventEnvelopeSchema } from '@supplier/proto/common/v1/event';
import { type ColumnMap, columnMap, type SqlSession } from '../../data/postgres/index.ts';
import { currentContext, type RequestContext } from '../../runtime/request-context/index.ts';
import { type EventId, newId } from '../../text/ids/index.ts';
import { toTimestamp } from '../../text/time/index.ts';
import { type Facet, subjectOf } from '../event-bus/streams.ts';

export { requestReplay } from './refill.ts';
export { type Relay, startRelay } from './relay.ts';

export interface OutboxEvent {
  readonly eventId: EventId;
  readonly aggregateId: string;
  readonly type: string;
  readonly subject: string;
  readonly envelope: Uint8Array<ArrayBuffer>;
}

const EVENT: ColumnMap<OutboxEvent> = columnMap<OutboxEvent>({
  event_id: ['uuid', ({ eventId }) => eventId],
  aggregate_id: ['uuid', ({ aggregateId }) => aggregateId],
  type: ['text', ({ type }) => type],
  subject: ['text', ({ subject }) => subject],
  envelope: ['bytea', ({ envelope }) => envelope],
});

export interface EventFacts {
  readonly aggregateId: string;
  /** Increases by one with every event of the aggregate. */
  readonly aggregateVersion: bigint;
  readonly occurredAt: Date;
  /** The last token of the subject, if the service has two kinds of events. */
  readonly facet?: Facet;
  /** The request that caused the event; the current one by default. */
  readonly context?: RequestContext;
}

/** Creates an event from `message`, with the request id and trace of its cause. */
export function newEvent<Desc extends DescMessage>(
  schema: Desc,
  message: MessageInitShape<Desc>,
  facts: EventFacts,
): OutboxEvent {
  const eventId = newId<EventId>();
  const context = facts.context ?? currentContext();
  const envelope = create(EventEnvelopeSchema, {
    eventId,
    type: schema.typeName,
    aggregateId: facts.aggregateId,
    aggregateVersion: facts.aggregateVersion,
    occurredAt: toTimestamp(facts.occurredAt),
    requestId: context?.requestId ?? '',
    traceParent: context?.traceParent ?? '',
    payload: toBinary(schema, create(schema, message)),
  });
  return {
    eventId,
    aggregateId: facts.aggregateId,
    type: schema.typeName,
    subject: subjectOf(schema.typeName, facts.facet),
    envelope: toBinary(EventEnvelopeSchema, envelope),
  };
}

/** Returns the part after `WITH` in a statement that appends events; its `eventValues` are numbered from `first`. */
export const appending = (first = 1): string => `appended AS (
      INSERT INTO domain_event (${EVENT.names}) SELECT ${EVENT.names} FROM ${EVENT.given(first)} RETURNING event_id)
    INSERT INTO outbox (event_id) SELECT event_id FROM appended`;

export const eventValues = (events: readonly OutboxEvent[]): unknown[][] => EVENT.values(events);

/** Appends events in the caller's transaction, in order. They are published if it commits. */
export async function appendEvents(tx: SqlSession, events: readonly OutboxEvent[]): Promise<void> {
  if (events.length === 0) return;
  await tx.query(`WITH ${appending()}`, eventValues(events));
}

/** Appends one event, like `appendEvents`. */
export function appendEvent(tx: SqlSession, event: OutboxEvent): Promise<void> {
  return appendEvents(tx, [event]);
}
