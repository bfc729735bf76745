import { createHash } from 'node:crypto';
import { type DescMessage, fromBinary, type MessageShape } from '@bufbuild/protobuf';
import { type EventEnvelope, EventEnvelopeSchema } from '@supplier/proto/common/v1/event';
import { type RequestContext, readTraceParent } from '../../runtime/request-context/index.ts';
import { type EventId, parseId } from '../../text/ids/index.ts';
import { toDate } from '../../text/time/index.ts';

interface Received {
  readonly id: EventId;
  /** Undefined if the message is not an envelope. */
  readonly aggregateId: string | undefined;
  /** Empty if the message is not an envelope. */
  readonly type: string;
  readonly subject: string;
  readonly envelope: Uint8Array;
}

export interface KnownEvent<Schemas extends readonly DescMessage[]> extends Received {
  readonly kind: 'known';
  readonly aggregateId: string;
  readonly event: DomainEventOf<Schemas>;
}

/**
 * `unknown_type`: a newer version may know it. `unreadable`: not an envelope, or not of its type. `unauthenticated`: not
 * from the publisher, so nothing of it is used.
 */
export interface OtherMessage extends Received {
  readonly kind: 'unknown_type' | 'unreadable' | 'unauthenticated';
}

/** The type under which an unauthenticated message is kept. No event has it, so it is never applied. */
export const UNAUTHENTICATED = 'unauthenticated';

export type ReceivedEvent<Schemas extends readonly DescMessage[]> = KnownEvent<Schemas> | OtherMessage;

/** Reads messages as events. `fallbackId` returns the id of one that is not an envelope. Never throws. */
export function eventReader<Schemas extends readonly DescMessage[]>(schemas: Schemas) {
  const byType = new Map<string, Schemas[number]>(schemas.map((schema) => [schema.typeName, schema]));
  return (
    { subject, data }: { readonly subject: string; readonly data: Uint8Array },
    fallbackId: () => EventId,
  ): ReceivedEvent<Schemas> => {
    const message = { subject, envelope: data };
    const envelope = readEnvelope(data);
    const id = parseId<EventId>(envelope?.eventId ?? '');
    const aggregateId = parseId<string>(envelope?.aggregateId ?? '');
    if (!envelope?.occurredAt || !id || !aggregateId || !envelope.type) {
      return { ...message, kind: 'unreadable', id: fallbackId(), aggregateId: undefined, type: '' };
    }
    const received = { ...message, id, aggregateId, type: envelope.type };
    const schema = byType.get(envelope.type);
    if (!schema) return { ...received, kind: 'unknown_type' };
    try {
      const event = {
        id,
        aggregateId,
        version: envelope.aggregateVersion,
        occurredAt: toDate(envelope.occurredAt),
        context: { requestId: envelope.requestId, traceParent: readTraceParent(envelope.traceParent) },
        message: fromBinary(schema, envelope.payload),
      };
      // The schema was found by the name of the type, so the message has that schema's shape.
      return { ...received, kind: 'known', event: event as DomainEventOf<Schemas> };
    } catch {
      return { ...received, kind: 'unreadable' };
    }
  };
}

/** Returns a message that isn't the publisher's. Its id is not the one in the envelope, which belongs to a real event. */
export const unauthenticated = (
  { subject, data }: { readonly subject: string; readonly data: Uint8Array },
  id: EventId,
): OtherMessage => ({
  ...{ kind: 'unauthenticated', id, aggregateId: undefined, type: UNAUTHENTICATED },
  ...{ subject, envelope: data },
});

function readEnvelope(data: Uint8Array): EventEnvelope | undefined {
  try {
    return fromBinary(EventEnvelopeSchema, data);
  } catch {
    return undefined;
  }
}

/** Returns an id for a message without one: a UUIDv8 that is the same for every delivery. */
export function derivedId(stream: string, sequence: number, data: Uint8Array): EventId {
  const hex = createHash('sha256').update(`${stream}\n${sequence}\n`).update(data).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-') as EventId;
}

/** A domain event as seen by a consumer. Its type is `message.$typeName`. */
export interface DomainEvent<Message> {
  readonly id: EventId;
  readonly aggregateId: string;
  /** Increases with every event of the aggregate. */
  readonly version: bigint;
  readonly occurredAt: Date;
  /** The request that caused the event; events that result from it continue the same context. */
  readonly context: RequestContext;
  readonly message: Message;
}

export type DomainEventOf<Schemas extends readonly DescMessage[]> = {
  [Index in keyof Schemas]: DomainEvent<MessageShape<Schemas[Index]>>;
}[number];
