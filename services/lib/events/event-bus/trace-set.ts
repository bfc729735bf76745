import type { DescMessage } from '@bufbuild/protobuf';
import { openSet } from '../../runtime/tracing/index.ts';
import type { Attempt } from './availability.ts';
import type { ConsumerOptions } from './consumer-options.ts';
import type { Delivery } from './message-source.ts';
import type { ReceivedEvent } from './received-event.ts';
import { STREAMS } from './streams.ts';

/** The attribute that contains the aggregate id, by stream. */
const AGGREGATES: Readonly<Record<string, string>> = {
  [STREAMS.account]: 'sss.account.id',
  [STREAMS.document]: 'sss.document.id',
  [STREAMS.submission]: 'sss.submission.id',
  [STREAMS.webhook]: 'sss.endpoint.id',
};

/** A received event, with its delivery if it comes from the stream. */
export interface TracedEvent<Schemas extends readonly DescMessage[]> {
  readonly received: ReceivedEvent<Schemas>;
  readonly delivery?: Pick<Delivery, 'publishedAt'>;
}

/** The events of a set, each in its own trace context, and a function that ends their spans. */
export interface TracedSet<Schemas extends readonly DescMessage[]> {
  readonly events: readonly ReceivedEvent<Schemas>[];
  end(attempt: Pick<Attempt<unknown>, 'kind'> & { readonly error?: unknown }): void;
}

export function traceSet<Schemas extends readonly DescMessage[]>(
  { stream, consumer }: Pick<ConsumerOptions<Schemas>, 'stream' | 'consumer'>,
  set: readonly TracedEvent<Schemas>[],
): TracedSet<Schemas> {
  const common = {
    'messaging.system': 'nats',
    'messaging.operation.type': 'process',
    'messaging.operation.name': 'process',
    'messaging.destination.name': stream,
    'messaging.consumer.group.name': consumer,
  };
  const spans = openSet(
    `process ${stream}`,
    { kind: 'consumer', attributes: { ...common, 'messaging.batch.message_count': set.length } },
    () =>
      set.map(({ received, delivery }) => ({
        parent: received.kind === 'known' ? received.event.context.traceParent : '',
        name: `process ${received.type.slice(received.type.lastIndexOf('.') + 1)}`,
        attributes: {
          ...common,
          'messaging.message.id': received.id,
          ...(received.aggregateId && { [AGGREGATES[stream] ?? 'sss.aggregate.id']: received.aggregateId }),
        },
        publishedAt: delivery?.publishedAt,
      })),
  );
  const events = set.map(({ received }) => received);
  if (!spans) return { events, end() {} };
  return {
    events: events.map((received, place) => continued(received, spans.traceParents[place])),
    end: ({ kind, error }) => spans.end(kind === 'failed' ? (error ?? new Error('unknown')) : undefined),
  };
}

function continued<Schemas extends readonly DescMessage[]>(
  received: ReceivedEvent<Schemas>,
  traceParent: string | undefined,
): ReceivedEvent<Schemas> {
  if (received.kind !== 'known' || traceParent === undefined) return received;
  const { event } = received;
  return { ...received, event: { ...event, context: { ...event.context, traceParent } } };
}
