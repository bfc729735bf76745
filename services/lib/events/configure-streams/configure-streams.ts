/**
 * Command: creates, updates and repairs the streams and durable consumers, as the NATS user `streams`.
 *
 * `SSS_NATS_URL=tls://… SSS_NATS_CREDENTIALS_FILE=… node services/lib/events/configure-streams/configure-streams.ts`
 */
import { setTimeout as pause } from 'node:timers/promises';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { isDependencyUnavailable } from '../../data/dependency/index.ts';
import { print, runCommand } from '../../runtime/command/index.ts';
import { ConfigError, readCommandEnvironment } from '../../runtime/config/index.ts';
import { natsAccess, natsConnectOptions, natsVariables } from '../../runtime/nats-access/index.ts';
import { CONFIGURING_USER } from '../event-bus/permissions.ts';
import { streamVariables } from '../event-bus/streams.ts';
import { configureStreams } from './all-streams.ts';

const RETRY_MS = 1_000;
const ANSWER_MS = 20_000;

const USAGE = `usage: configure-streams [--wait SECONDS]
  Creates, updates and repairs the streams and durable consumers of SSS_NATS_URL with the settings SSS_STREAM_*, and prints
  a line for each change. Removes whatever would copy events to or from other subjects. A stream or consumer that can't be
  repaired is replaced: services publish its events again, and apply them once. Exits with 0 only if everything is as
  expected afterwards. Repeating it changes nothing.
  --wait SECONDS  how long to wait for NATS, 60 by default`;

const flags = { wait: { type: 'string', default: '60' } } as const;

runCommand('configure-streams', { usage: USAGE, flags }, async ({ wait }) => {
  if (!/^\d{1,4}$/.test(wait)) throw new ConfigError(USAGE);
  const env = readCommandEnvironment({ ...natsVariables, ...streamVariables });
  const options = natsConnectOptions(CONFIGURING_USER, natsAccess(env));
  const connection = await connectWithin(Number(wait) * 1_000, options);
  const manager = await jetstreamManager(connection, { checkAPI: false, timeout: ANSWER_MS });
  const { changes, deviations } = await configureStreams(manager, {
    replicas: env.SSS_STREAM_REPLICAS,
    maxAgeDays: env.SSS_STREAM_MAX_AGE_DAYS,
    maxBytes: env.SSS_STREAM_MAX_BYTES,
  });
  for (const line of changes) print(line);
  if (deviations.length > 0) throw new ConfigError(`not as expected: ${deviations.join('; ')}`);
  if (changes.length === 0) print('nothing to change');
  await connection.close();
});

/** A rejected user or certificate ends the command, but a server that isn't there yet may come. */
async function connectWithin(
  waitMs: number,
  options: Parameters<typeof connect>[0],
): Promise<NatsConnection> {
  const end = performance.now() + waitMs;
  for (;;) {
    try {
      return await connect({ ...options, reconnect: false });
    } catch (error) {
      if (performance.now() > end || !isDependencyUnavailable(error)) throw error;
      await pause(RETRY_MS);
    }
  }
}
