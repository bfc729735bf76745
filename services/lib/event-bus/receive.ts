import { fromBinary } from '@bufbuild/protobuf';
import type { JsMsg } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/nats-core';
import { type EventEnvelope, EventEnvelopeSchema } from '@supplier/proto/common/v1/event';
import { sharedCounter } from '../metrics/index.ts';
import { isUnavailable, type SqlExecutor } from '../postgres/index.ts';
import { continueTrace, runInContext } from '../request-context/index.ts';
import type { ServiceProcess } from '../service-runtime/index.ts';
import type { Bus } from './bus.ts';
import { deadLetter } from './dead-letter.ts';
import type { EventHandler } from './event-handler.ts';
import { applyOnceFor, type Transactor } from './inbox.ts';
import { afterFailure } from './retry-policy.ts';

export interface SingleConsumerOptions<Tx extends SqlExecutor> {
  readonly bus: Bus;
  readonly stream: string;
  /** The durable's name, and the name under which applied events are noted. */
  readonly consumer: string;
  readonly handlers: readonly EventHandler<Tx>[];
  readonly transaction: Transactor<Tx>;
}

/** The envelope of a message, or undefined when it is none. */
export function readEnvelope(data: Uint8Array): EventEnvelope | undefined {
  try {
    return fromBinary(EventEnvelopeSchema, data);
  } catch {
    return undefined;
  }
}

class NotAnEvent extends Error {}

/** How one delivery of an event ended; a failed one is delivered again. */
type Ending = 'handled' | 'failed' | 'dead_lettered';

function counterOf(process: ServiceProcess, { consumer, stream }: { consumer: string; stream: string }) {
  const events = sharedCounter(process.metrics, {
    name: 'sss_consumed_events_total',
    help: 'Deliveries of events to this process, by consumer, stream and how they ended.',
    labelNames: ['consumer', 'stream', 'outcome'] as const,
  });
  return (outcome: Ending) => events.inc({ consumer, stream, outcome });
}

/** Handles one delivery to its end: acknowledged, put back for later, or put aside. Never throws. */
export async function receive<Tx extends SqlExecutor>(
  process: ServiceProcess,
  options: SingleConsumerOptions<Tx>,
  connection: NatsConnection,
  message: JsMsg,
  envelope: EventEnvelope | undefined,
): Promise<void> {
  if (process.stopping.aborted) return message.nak();
  const count = counterOf(process, options);
  const handler = options.handlers.find(({ type }) => type === envelope?.type);
  if (envelope && !handler) return message.ack();
  const context = {
    requestId: envelope?.requestId ?? '',
    traceParent: continueTrace(envelope?.traceParent),
  };
  await runInContext(context, async () => {
    try {
      if (!envelope || !handler) throw new NotAnEvent('a message is no event envelope');
      await handler.handle(envelope, applyOnceFor(options.transaction, options.consumer, envelope.eventId));
      message.ack();
      count('handled');
    } catch (err) {
      count(await settleFailure(process, options, connection, message, err));
    }
  });
}

async function settleFailure<Tx extends SqlExecutor>(
  process: ServiceProcess,
  { consumer }: SingleConsumerOptions<Tx>,
  connection: NatsConnection,
  message: JsMsg,
  err: unknown,
): Promise<Ending> {
  // What cannot be read now cannot be read later either.
  const next =
    err instanceof NotAnEvent ? 'dead-letter' : afterFailure(message.info.deliveryCount, isUnavailable(err));
  const fields = { err, consumer, attempt: message.info.deliveryCount, event_type: message.subject };
  if (next !== 'dead-letter') {
    process.log.warn({ ...fields, delay_ms: next.retryInMs }, 'an event could not be applied; trying again');
    message.nak(next.retryInMs);
    return 'failed';
  }
  try {
    await deadLetter(connection, consumer, message);
    process.log.error(fields, 'an event was put aside');
    message.term();
    return 'dead_lettered';
  } catch (cause) {
    process.log.error({ ...fields, err: cause }, 'an event could not be put aside; trying again');
    message.nak(30_000);
    return 'failed';
  }
}
