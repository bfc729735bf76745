import type { JetStreamManager } from '@nats-io/jetstream';
import { durableConfig, durableFaults, unlessNotFound } from '../event-bus/expected-configuration.ts';
import type { Subscription } from '../event-bus/subscriptions.ts';
import { unlessRefused } from './stream.ts';

const LIMITS = {
  /** Events held by a killed consumer are redelivered after this. Longer than the sets queued ahead of them take. */
  ack_wait: 15_000_000_000,
  /** Across all replicas of a consumer; enough for four that have pulled as far ahead as allowed. */
  max_ack_pending: 2_048,
} as const;

/**
 * Creates a durable, or updates one with another configuration, or replaces one that the server can't update. Resolves
 * to what was done; an empty text for nothing.
 */
export async function configureDurable(
  { consumers }: JetStreamManager,
  { stream, consumer, subject }: Subscription,
): Promise<string> {
  const expected = { ...durableConfig(subject), ...LIMITS };
  const add = () => consumers.add(stream, { ...expected, durable_name: consumer });
  const found = await unlessNotFound(consumers.info(stream, consumer));
  if (!found) {
    const { delivered } = await add();
    if (delivered.stream_seq === 0) return 'created';
    // A server that could not recover the stream may still have files of an earlier durable of this name and resume
    // from them. It would skip events published since.
    await consumers.delete(stream, consumer);
    await add();
    return 'created again, from the start';
  }
  const { config } = found;
  const limits = (['ack_wait', 'max_ack_pending'] as const).filter(
    (limit) => config[limit] !== LIMITS[limit],
  );
  const deviations = [...durableFaults(config, subject), ...limits];
  if (deviations.length === 0) return '';
  const updated = await unlessRefused(consumers.update(stream, consumer, expected));
  if (updated && durableFaults(updated.config, subject).length === 0)
    return `updated: ${deviations.join(' ')}`;
  // Acknowledged events are redelivered, but still applied only once.
  await consumers.delete(stream, consumer);
  await add();
  return `replaced: ${deviations.join(' ')}`;
}
