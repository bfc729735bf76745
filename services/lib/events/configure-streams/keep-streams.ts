import { setTimeout as pause } from 'node:timers/promises';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { type NatsAccess, natsConnectOptions } from '../../runtime/nats-access/index.ts';
import { CONFIGURING_USER } from '../event-bus/permissions.ts';
import { DEFAULT_STREAM_SETTINGS, type StreamSettings } from '../event-bus/streams.ts';
import { configureStreams, isAnyMissing } from './all-streams.ts';

const LOOK_EVERY_MS = 1_000;
/** Servers that have not elected a leader yet answer nothing, so the first requests are repeated. */
const ANSWER_MS = 5_000;
const FIRST_ATTEMPTS = 6;

export interface KeepOptions {
  readonly settings?: StreamSettings;
  readonly warn: (line: string) => void;
}

/**
 * For stacks on one machine, instead of the command: configures the streams, and again after each reconnection and when
 * a stream or durable is missing, until it is closed. Resolves after the first time; throws if that has failed six times.
 */
export async function keepStreams(
  access: NatsAccess,
  { settings = DEFAULT_STREAM_SETTINGS, warn }: KeepOptions,
): Promise<{ close(): Promise<void> }> {
  const stop = new AbortController();
  const connection = await connect({
    ...natsConnectOptions(CONFIGURING_USER, access),
    ...{ maxReconnectAttempts: -1, reconnectTimeWait: 250, ignoreAuthErrorAbort: true },
  });
  const manager = await jetstreamManager(connection, { checkAPI: false, timeout: ANSWER_MS });
  let isDue = false;

  async function configure(): Promise<void> {
    const { deviations } = await configureStreams(manager, settings);
    for (const line of deviations) warn(`stream not as expected: ${line}`);
  }

  async function configureFirst(attempts = FIRST_ATTEMPTS): Promise<void> {
    try {
      await configure();
    } catch (error) {
      if (attempts === 1) throw error;
      await pause(LOOK_EVERY_MS);
      await configureFirst(attempts - 1);
    }
  }

  async function look(): Promise<void> {
    if (!isDue && !(await isAnyMissing(manager))) return;
    isDue = false;
    await configure();
  }

  async function keepLooking(): Promise<void> {
    for (;;) {
      await pause(LOOK_EVERY_MS, undefined, { signal: stop.signal }).catch(() => {});
      if (stop.signal.aborted) return;
      // While NATS is away, the next look finds what it lacks.
      await look().catch(() => {
        isDue = true;
      });
    }
  }

  try {
    await configureFirst();
  } catch (error) {
    await connection.close();
    throw error;
  }
  void noteReconnections(connection, () => {
    isDue = true;
  });
  const looking = keepLooking();
  return {
    async close() {
      stop.abort();
      await connection.close();
      await looking;
    },
  };
}

async function noteReconnections(connection: NatsConnection, note: () => void): Promise<void> {
  for await (const { type } of connection.status()) if (type === 'reconnect') note();
}
