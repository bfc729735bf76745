/**
 * Command: republishes the events of a service since a given time, as far back as published events are kept. The
 * service's running relay sends them, after new events.
 *
 * `SSS_DATABASE_URL=postgresql://… node services/lib/events/outbox/replay.ts --since 2026-11-20T10:00:00Z`
 */
import { withCommandPool } from '../../data/postgres/index.ts';
import { runCommand } from '../../runtime/command/index.ts';
import { ConfigError, postgresUrl, readCommandEnvironment } from '../../runtime/config/index.ts';
import { parseTimestamp, toDate } from '../../text/time/index.ts';
import { requestReplay } from './refill.ts';

const USAGE = `usage: replay --since 2026-11-20T10:00:00Z
  Publishes all events created at or after that time (UTC) again.`;

const flags = { since: { type: 'string' } } as const;

runCommand('replay', { usage: USAGE, flags }, async (values, log) => {
  const since = parseTimestamp(values.since ?? '');
  if (!since) throw new ConfigError(USAGE);
  const env = readCommandEnvironment({ SSS_DATABASE_URL: postgresUrl() });
  const count = await withCommandPool(env.SSS_DATABASE_URL, 'replay', (pool) =>
    requestReplay(pool, toDate(since)),
  );
  log.info({ count }, 'event replay requested');
});
