import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import type { RequestContext } from '../../runtime/request-context/index.ts';
import type { EventId } from '../../text/ids/index.ts';

/** A domain event as a consumer sees it. Its kind is `message.$typeName`. */
export interface DomainEvent<Message> {
  readonly id: EventId;
  readonly aggregateId: string;
  /** Rises with every event of the aggregate. */
  readonly version: bigint;
  readonly occurredAt: Date;
  /** The request that caused it, which the events it causes carry on. */
  readonly context: RequestContext;
  readonly message: Message;
}

/** One of the events that a consumer has declared. */
export type DomainEventOf<Schemas extends readonly DescMessage[]> = {
  [Index in keyof Schemas]: DomainEvent<MessageShape<Schemas[Index]>>;
}[number];
