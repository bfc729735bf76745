import {
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  type StreamInfo,
} from '@nats-io/jetstream';
import type { Logger } from '../../runtime/log/index.ts';
import { DEFAULT_STREAM_SETTINGS, type StreamSettings, streamConfig } from '../event-bus/streams.ts';

/** Settings that an operator may change while the stream contains events. */
const CHANGEABLE = ['num_replicas', 'max_age', 'max_bytes', 'duplicate_window'] as const;

/** Returns the stream, or creates it: with the server's minimum if it rejects the settings. */
export async function findOrCreateStream(
  manager: JetStreamManager,
  stream: string,
  settings: StreamSettings,
): Promise<StreamInfo> {
  try {
    return await manager.streams.info(stream);
  } catch (error) {
    if (!(error instanceof JetStreamApiError) || error.code !== JetStreamApiCodes.StreamNotFound) throw error;
    return makeStream(manager, stream, settings);
  }
}

async function makeStream(
  manager: JetStreamManager,
  stream: string,
  settings: StreamSettings,
): Promise<StreamInfo> {
  try {
    return await manager.streams.add(streamConfig(stream, settings));
  } catch (error) {
    if (!(error instanceof JetStreamApiError)) throw error;
    const { maxAgeDays } = settings;
    return manager.streams.add(streamConfig(stream, { ...DEFAULT_STREAM_SETTINGS, maxAgeDays }));
  }
}

/** Creates an updater. Settings that the server rejects are logged once, and the stream stays. */
export function streamUpdater(settings: StreamSettings, log: Logger) {
  let refused = false;
  return async (manager: JetStreamManager, stream: string): Promise<void> => {
    const { config } = await manager.streams.info(stream);
    const wanted = streamConfig(stream, settings);
    const changed = CHANGEABLE.filter((field) => config[field] !== wanted[field]);
    if (changed.length === 0) return;
    const fields = { stream, reason: changed.join(' ') };
    try {
      await manager.streams.update(stream, { ...config, ...wanted });
      refused = false;
      log.info(fields, 'stream configuration updated');
    } catch (err) {
      if (!(err instanceof JetStreamApiError)) throw err;
      if (!refused) log.error({ err, ...fields }, 'stream configuration rejected by the server');
      refused = true;
    }
  };
}
