import { type DescMessage, fromBinary, type MessageShape } from '@bufbuild/protobuf';
import type { EventEnvelope } from '@supplier/proto/common/v1/event';
import type { EventId } from '../ids/index.ts';
import { continueTrace, currentContext } from '../request-context/index.ts';
import { toDate } from '../time/index.ts';
import type { DomainEvent } from './domain-event.ts';

/**
 * Runs `effect` in a transaction in which the event is noted as applied. An event that was applied before runs nothing:
 * however often it is delivered, its effect happens once. Resolves to whether the effect ran now.
 */
export type ApplyOnce<Tx> = (effect: (tx: Tx) => Promise<void>) => Promise<boolean>;

export interface EventHandler<Tx> {
  readonly type: string;
  handle(envelope: EventEnvelope, applyOnce: ApplyOnce<Tx>): Promise<void>;
}

/** Declares what a consumer does on one type of event. Throwing means: try again later. */
export function on<Desc extends DescMessage, Tx>(
  schema: Desc,
  handle: (event: DomainEvent<MessageShape<Desc>>, applyOnce: ApplyOnce<Tx>) => Promise<void>,
): EventHandler<Tx> {
  return {
    type: schema.typeName,
    async handle(envelope, applyOnce) {
      if (!envelope.occurredAt) throw new Error('an event says when it occurred');
      const event = {
        id: envelope.eventId as EventId,
        aggregateId: envelope.aggregateId,
        version: envelope.aggregateVersion,
        occurredAt: toDate(envelope.occurredAt),
        context: currentContext() ?? {
          requestId: envelope.requestId,
          traceParent: continueTrace(envelope.traceParent),
        },
        message: fromBinary(schema, envelope.payload),
      };
      await handle(event, applyOnce);
    },
  };
}
