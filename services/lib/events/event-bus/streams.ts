import type { StreamConfig } from '@nats-io/jetstream';
import type { WithRequired } from '@nats-io/nats-core';
import { setting, whole } from '../../runtime/config/index.ts';

/** One stream per service that publishes. `configure-streams` creates it, and the service's relay refills it. */
export const STREAMS = {
  account: 'ACCOUNT',
  document: 'DOCUMENT',
  submission: 'SUBMISSION',
  webhook: 'WEBHOOK',
} as const;

const NANOS_PER_DAY = 86_400_000_000_000;

/** The last token of a submission event's subject: `billing` if billing must post a line, otherwise `status`. */
export type Facet = 'billing' | 'status';

/** Returns the subject of an event type: `supplier.document.DocumentFinalized`, plus the facet if any. */
export function subjectOf(eventType: string, facet?: Facet): string {
  const [root, service, , name] = eventType.split('.');
  if (!root || !service || !name) throw new Error('the event type does not have four parts');
  return [root, service, name, ...(facet ? [facet] : [])].join('.');
}

/** The variables of the command that configures the streams. */
export const streamVariables = {
  SSS_STREAM_REPLICAS: setting(whole(1, 5).default(1), 'copies of each stream'),
  SSS_STREAM_MAX_AGE_DAYS: setting(whole(1, 90).default(7), 'days that streams keep events'),
  SSS_STREAM_MAX_BYTES: setting(
    whole(0, 999_999_999_999_999).default(0),
    'maximum bytes of each stream; 0: no limit',
  ),
};

export interface StreamSettings {
  readonly replicas: number;
  readonly maxAgeDays: number;
  /** 0: streams are bounded only by age. */
  readonly maxBytes: number;
}

export const DEFAULT_STREAM_SETTINGS: StreamSettings = { replicas: 1, maxAgeDays: 7, maxBytes: 0 };

/** Returns a stream's configuration. The oldest messages are dropped when it exceeds its age or size. */
export function streamConfig(
  stream: string,
  { replicas, maxAgeDays, maxBytes } = DEFAULT_STREAM_SETTINGS,
): WithRequired<Partial<StreamConfig>, 'name'> {
  return {
    name: stream,
    subjects: [`supplier.${stream.toLowerCase()}.>`],
    storage: 'file',
    retention: 'limits',
    discard: 'old',
    num_replicas: replicas,
    max_age: maxAgeDays * NANOS_PER_DAY,
    max_bytes: maxBytes > 0 ? maxBytes : -1,
    duplicate_window: 120_000_000_000,
  };
}
