import { type ConsumerMessages, JetStreamApiError, jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/nats-core';
import type { SqlExecutor } from '../postgres/index.ts';
import type { ServiceProcess } from '../service-runtime/index.ts';
import { wakeable } from '../wakeable/index.ts';
import { lanes } from './lanes.ts';
import { readEnvelope, receive, type SingleConsumerOptions } from './receive.ts';

const LANES = 8;
const MAX_IN_FLIGHT = 256;
/** Events that a killed consumer held come back after this; longer than any handler, its wait in a lane included. */
const ACK_WAIT_NANOS = 15_000_000_000;
const RETRY_MS = 500;
/** JetStream's code for a consumer that exists with another configuration. */
const CONSUMER_EXISTS = 10148;

/**
 * The consumer of one event at a time, until every service applies its events in sets (`startConsumer`).
 *
 * Consumes a stream until the process stops: durable, explicit acknowledgement, events of one aggregate in order, at
 * most 256 in flight. Survives a bus that goes away and a stream that is deleted and refilled.
 */
export function startSingleConsumer<Tx extends SqlExecutor>(
  process: ServiceProcess,
  options: SingleConsumerOptions<Tx>,
): void {
  const { bus, stream, consumer } = options;
  const sleeper = wakeable(process.stopping);
  const work = lanes(LANES);
  let messages: ConsumerMessages | undefined;

  // After a reconnect the durable may be gone with its stream: start over from finding it.
  bus.onConnect(() => {
    void messages?.close().catch(() => {});
    sleeper.wake();
  });
  const done = run();
  process.onStop(`consumer of ${stream}`, async () => {
    await messages?.close().catch(() => {});
    await done;
    await work.idle();
  });

  async function run(): Promise<void> {
    while (!process.stopping.aborted) {
      const connection = bus.connection();
      if (connection) await consumeFrom(connection).catch(reportUnlessMissing);
      await sleeper.sleep(RETRY_MS);
    }
  }

  async function consumeFrom(connection: NatsConnection): Promise<void> {
    await ensureDurable(connection, stream, consumer);
    const source = await jetstream(connection).consumers.get(stream, consumer);
    messages = await source.consume({
      max_messages: MAX_IN_FLIGHT,
      expires: 10_000,
      abort_on_missing_resource: true,
    });
    process.log.info({ stream, consumer }, 'consuming');
    for await (const message of messages) {
      const envelope = readEnvelope(message.data);
      work.run(envelope?.aggregateId ?? '', () => receive(process, options, connection, message, envelope));
    }
  }

  function reportUnlessMissing(err: unknown): void {
    // The owner of the stream creates it; until then there is nothing to consume.
    if (err instanceof JetStreamApiError && err.status === 404) return;
    if (!process.stopping.aborted)
      process.log.warn({ err, stream, consumer }, 'consuming failed; trying again');
  }
}

async function ensureDurable(connection: NatsConnection, stream: string, durable: string): Promise<void> {
  const { consumers } = await jetstreamManager(connection, { checkAPI: false });
  const config = {
    ack_wait: ACK_WAIT_NANOS,
    max_ack_pending: MAX_IN_FLIGHT,
    // The consumer counts and puts aside by itself: a server that stops delivering would do so in silence.
    max_deliver: -1,
  };
  try {
    await consumers.add(stream, {
      ...config,
      durable_name: durable,
      ack_policy: 'explicit',
      deliver_policy: 'all',
    });
  } catch (error) {
    // Made by an earlier version, with other numbers.
    if (!(error instanceof JetStreamApiError) || error.code !== CONSUMER_EXISTS) throw error;
    await consumers.update(stream, durable, config);
  }
}
