import type { JetStreamManager } from '@nats-io/jetstream';
import { durableFaults, streamFaults, unlessNotFound } from '../event-bus/expected-configuration.ts';
import { STREAMS, type StreamSettings } from '../event-bus/streams.ts';
import { SUBSCRIPTIONS, type Subscription } from '../event-bus/subscriptions.ts';
import { configureDurable } from './durable.ts';
import { configureStream, deviatingSettings } from './stream.ts';

export interface Configured {
  /** What was done, a line for each stream or durable. */
  readonly changes: readonly string[];
  /** What still deviates: an empty list if all is as expected. */
  readonly deviations: readonly string[];
}

/**
 * Creates, updates and repairs every stream and every durable consumer, and checks the result. Repeating it changes
 * nothing. Throws if the server doesn't answer.
 */
export async function configureStreams(
  manager: JetStreamManager,
  settings: StreamSettings,
): Promise<Configured> {
  const changes: string[] = [];
  const note = (name: string, done: string) => {
    if (done !== '') changes.push(`${name}: ${done}`);
  };
  for (const stream of Object.values(STREAMS)) note(stream, await configureStream(manager, stream, settings));
  const subscriptions: readonly Subscription[] = Object.values(SUBSCRIPTIONS);
  for (const subscription of subscriptions)
    note(nameOf(subscription), await configureDurable(manager, subscription));
  return { changes, deviations: await deviationsOf(manager, settings) };
}

async function deviationsOf(manager: JetStreamManager, settings: StreamSettings): Promise<string[]> {
  const lines: string[] = [];
  const note = (name: string, faults: readonly string[]) => {
    if (faults.length > 0) lines.push(`${name}: ${faults.join(' ')}`);
  };
  for (const stream of Object.values(STREAMS)) {
    const found = await unlessNotFound(manager.streams.info(stream));
    note(
      stream,
      found
        ? [...streamFaults(found.config), ...deviatingSettings(found.config, stream, settings)]
        : ['missing'],
    );
  }
  const subscriptions: readonly Subscription[] = Object.values(SUBSCRIPTIONS);
  for (const subscription of subscriptions) {
    const found = await unlessNotFound(manager.consumers.info(subscription.stream, subscription.consumer));
    note(nameOf(subscription), found ? durableFaults(found.config, subscription.subject) : ['missing']);
  }
  return lines;
}

const nameOf = ({ stream, consumer }: Subscription) => `${stream}/${consumer}`;

/** Whether a stream or durable is missing. Cheaper than configuring them. */
export async function isAnyMissing(manager: JetStreamManager): Promise<boolean> {
  const found = await Promise.all([
    ...Object.values(STREAMS).map((stream) => unlessNotFound(manager.streams.info(stream))),
    ...Object.values(SUBSCRIPTIONS).map((durable) =>
      unlessNotFound(manager.consumers.info(durable.stream, durable.consumer)),
    ),
  ]);
  return found.includes(undefined);
}
