import {
  type ConsumerConfig,
  JetStreamApiError,
  type JetStreamManager,
  type StreamConfig,
} from '@nats-io/jetstream';
import { sharedGauge } from '../../runtime/metrics/index.ts';
import type { ServiceProcess } from '../../runtime/service-runtime/index.ts';
import { streamConfig } from './streams.ts';
import type { Subscription } from './subscriptions.ts';

/** What copies a stream's messages elsewhere or adds messages of other origins. None may be set. */
const FOREIGN = ['mirror', 'republish', 'sources', 'subject_transform'] as const;

/**
 * Returns the parts of a stream's configuration with which it could contain or reveal another service's events. Replicas
 * and limits don't count: operators may change them.
 */
export function streamFaults(config: StreamConfig): string[] {
  const { subjects = [], retention } = streamConfig(config.name);
  return [
    ...FOREIGN.filter((part) => isSet(config[part])),
    ...(isDeepEqual(config.subjects, subjects) ? [] : ['subjects']),
    ...(config.retention === retention ? [] : ['retention']),
  ];
}

/** The configuration of every durable, which takes what `subject` matches. */
export const durableConfig = (subject: string) =>
  ({
    ack_policy: 'explicit',
    deliver_policy: 'all',
    // Failures are counted in the table of failed events: a server limit would stop delivery silently.
    max_deliver: -1,
    filter_subject: subject,
  }) as const;

/** Returns the parts of a durable's configuration by which its events would go elsewhere or be skipped. */
export function durableFaults(config: ConsumerConfig, subject: string): string[] {
  const expected = Object.entries(durableConfig(subject)) as [keyof ConsumerConfig, unknown][];
  return [
    ...(['deliver_subject', 'filter_subjects', 'headers_only'] as const).filter((part) =>
      isSet(config[part]),
    ),
    ...expected.filter(([part, value]) => config[part] !== value).map(([part]) => part),
  ];
}

const isSet = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value));
const isDeepEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** The stream or durable is missing or has another configuration, which has been reported. */
export class NotAsExpected extends Error {
  override readonly name = 'NotAsExpected';
}

/** Checks the configuration that a process relies on. Reports a deviation once, in the log and as a gauge. */
export function configurationCheck(process: ServiceProcess, stream: string, subscription?: Subscription) {
  const { log, metrics } = process;
  const fields = { stream, ...(subscription && { consumer: subscription.consumer }) };
  let reported = '';
  sharedGauge(
    metrics,
    {
      name: 'sss_stream_deviations',
      help: 'Parts of a stream, or of its durable consumer, that are missing or configured otherwise than expected. Above 0, this process neither publishes to nor consumes from it.',
      labelNames: ['stream'],
    },
    () => [[{ stream }, reported === '' ? 0 : reported.split(' ').length]],
  );

  function report(deviations: readonly string[]): void {
    const reason = deviations.join(' ');
    if (reason === reported) return;
    reported = reason;
    if (reason === '') log.info(fields, 'event stream as expected again');
    else if (deviations.every((one) => one.endsWith(MISSING)))
      log.warn({ ...fields, reason }, 'event stream missing');
    else log.error({ ...fields, reason }, 'event stream configuration unexpected');
  }

  return {
    /** Returns the stream. Throws NotAsExpected if the process may not use it. */
    async pass(manager: JetStreamManager) {
      const [found, durable] = await Promise.all([
        unlessNotFound(manager.streams.info(stream)),
        subscription && unlessNotFound(manager.consumers.info(stream, subscription.consumer)),
      ]);
      const deviations = [
        ...(found ? streamFaults(found.config).map((part) => `stream.${part}`) : [`stream.${MISSING}`]),
        ...(subscription
          ? durable
            ? durableFaults(durable.config, subscription.subject).map((part) => `durable.${part}`)
            : [`durable.${MISSING}`]
          : []),
      ];
      report(deviations);
      if (!found || deviations.length > 0)
        throw new NotAsExpected(`not as expected: ${deviations.join(' ')}`);
      return found;
    },
  };
}

const MISSING = 'missing';

/** Resolves to undefined if the stream or consumer doesn't exist. */
export async function unlessNotFound<Found>(request: Promise<Found>): Promise<Found | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof JetStreamApiError && error.status === 404) return undefined;
    throw error;
  }
}
