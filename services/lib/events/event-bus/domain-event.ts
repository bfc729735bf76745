import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import type { RequestContext } from '../../runtime/request-context/index.ts';
import type { EventId } from '../../text/ids/index.ts';

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

/** Any of the events that a consumer declares. */
export type DomainEventOf<Schemas extends readonly DescMessage[]> = {
  [Index in keyof Schemas]: DomainEvent<MessageShape<Schemas[Index]>>;
}[number];
