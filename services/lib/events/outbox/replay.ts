/**
 * Command: republishes the events of a service since a given time, as far back as published events are kept. The
 * service's running relay sends them, after new events.
 *
 * `SSS_DATABASE_URL=postgresql://… node services/lib/events/outbox/replay.ts --since 2026-11-20T10:00:00Z`
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import { ConfigError, postgresUrl, readCommandEnvironment } from '../../runtime/config/index.ts';
import { runCommand } from '../../runtime/service-runtime/index.ts';
import { parseTimestamp, toDate } from '../../text/time/index.ts';
import { requestReplay } from './refill.ts';

const USAGE =
  'usage: replay --since 2026-11-20T10:00:00Z   publishes again what was made at or after that time (UTC)';

runCommand('replay', async (log) => {
  const { values } = parseArgs({ options: { since: { type: 'string' }, help: { type: 'boolean' } } });
  if (values.help) {
    process.stdout.write(`${USAGE}\n`);
    return;
  }
  const since = parseTimestamp(values.since ?? '');
  if (!since) throw new ConfigError(USAGE);
  const env = readCommandEnvironment({ SSS_DATABASE_URL: postgresUrl() });
  const pool = new pg.Pool({
    connectionString: env.SSS_DATABASE_URL,
    max: 1,
    connectionTimeoutMillis: 5_000,
  });
  try {
    const count = await requestReplay(pool, toDate(since));
    log.info({ count }, 'event replay requested');
  } finally {
    await pool.end();
  }
});
