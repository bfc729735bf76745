import { JetStreamApiError, type JetStreamManager } from '@nats-io/jetstream';
import { streamFaults, unlessNotFound } from '../event-bus/expected-configuration.ts';
import { DEFAULT_STREAM_SETTINGS, type StreamSettings, streamConfig } from '../event-bus/streams.ts';

/** Settings that follow the operator's while the stream contains events. */
const CHANGEABLE = ['num_replicas', 'max_age', 'max_bytes', 'duplicate_window'] as const;
/** JetStream's codes for a cluster that cannot answer at the moment. */
const LEADERLESS: ReadonlySet<number> = new Set([10008, 10009]);
/** Removes what is foreign: an absent part keeps its value. */
const NOTHING_FOREIGN = {
  ...{ mirror: undefined, republish: undefined, sources: undefined, subject_transform: undefined },
} as const;

/**
 * Creates a stream, updates its settings and removes what is foreign. Replaces one that the server can't repair: its
 * relay publishes the events again. Resolves to what was done; an empty text for nothing.
 */
export async function configureStream(
  manager: JetStreamManager,
  stream: string,
  settings: StreamSettings,
): Promise<string> {
  const { streams } = manager;
  const found = await unlessNotFound(streams.info(stream));
  if (!found) return createStream(manager, stream, settings);
  const faults = streamFaults(found.config);
  const changed = deviatingSettings(found.config, stream, settings);
  if (faults.length + changed.length === 0) return '';
  const expected = streamConfig(stream, settings);
  const isUpdated = await unlessRefused(
    streams.update(stream, { ...found.config, ...expected, ...(NOTHING_FOREIGN as object) }),
  );
  if (isUpdated) return `updated: ${[...faults, ...changed].join(' ')}`;
  // The server may refuse only the settings, which are reported afterwards.
  if (faults.length === 0) return '';
  const { subjects = [], retention = 'limits' } = expected;
  const repair = { ...found.config, subjects, retention, ...(NOTHING_FOREIGN as object) };
  if (await unlessRefused(streams.update(stream, repair))) return `updated: ${faults.join(' ')}`;
  await streams.delete(stream);
  await createStream(manager, stream, settings);
  return `replaced: ${faults.join(' ')}`;
}

/** Creates the stream: with the server's minimum if it rejects the settings. */
async function createStream(
  { streams }: JetStreamManager,
  stream: string,
  settings: StreamSettings,
): Promise<string> {
  if (await unlessRefused(streams.add(streamConfig(stream, settings)))) return 'created';
  const { maxAgeDays } = settings;
  await streams.add(streamConfig(stream, { ...DEFAULT_STREAM_SETTINGS, maxAgeDays }));
  return 'created with the default replicas and size';
}

/** Returns the settings that the stream doesn't have. */
export function deviatingSettings(config: object, stream: string, settings: StreamSettings): string[] {
  const expected = streamConfig(stream, settings);
  const present: Partial<typeof expected> = config;
  return CHANGEABLE.filter((setting) => present[setting] !== expected[setting]);
}

/** Resolves to undefined if the server refuses the request. */
export async function unlessRefused<Result>(request: Promise<Result>): Promise<Result | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof JetStreamApiError && !LEADERLESS.has(error.code)) return undefined;
    throw error;
  }
}
