/**
 * Command: lists the events that a consumer of a service could not apply, or gives the parked ones another eight attempts.
 * `SSS_DATABASE_URL=postgresql://… node services/lib/event-bus/redrive.ts --consumer billing --list`
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import { ConfigError, postgresUrl, readCommandEnvironment } from '../config/index.ts';
import { runCommand } from '../service-runtime/index.ts';
import { type KeptEvent, listKeptEvents, releaseParkedEvents } from './failed-events.ts';

const USAGE = `usage: redrive --consumer NAME [--max COUNT] [--list] [--json]
  releases up to COUNT (1000) parked events of the consumer, the oldest first: its running processes try them again
  --list   changes nothing and lists the events that are parked or being retried, the parked ones first
  --json   writes the list, or the count, as JSON`;

interface Options {
  readonly consumer: string;
  readonly max: number;
  readonly list: boolean;
  readonly json: boolean;
}

runCommand('redrive', async () => {
  const options = readOptions(process.argv.slice(2));
  if (!options) return print(USAGE);
  const env = readCommandEnvironment({ SSS_DATABASE_URL: postgresUrl() });
  const pool = new pg.Pool({
    connectionString: env.SSS_DATABASE_URL,
    max: 1,
    connectionTimeoutMillis: 5_000,
    statement_timeout: 30_000,
  });
  try {
    await print(options.list ? await list(pool, options) : await release(pool, options));
  } finally {
    await pool.end();
  }
});

/** Undefined when help is asked for. */
function readOptions(args: string[]): Options | undefined {
  const { values } = parseArgs({
    args,
    options: {
      consumer: { type: 'string' },
      max: { type: 'string', default: '1000' },
      list: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return undefined;
  const { consumer, list, json } = values;
  const max = Number(values.max);
  if (!consumer || !Number.isInteger(max) || max < 1 || max > 100_000) throw new ConfigError(USAGE);
  return { consumer, max, list, json };
}

async function list(pool: pg.Pool, { consumer, max, json }: Options): Promise<string> {
  const events = await listKeptEvents(pool, consumer, max);
  if (json) return JSON.stringify({ consumer, events }, null, 2);
  return events.length === 0 ? `no failed events of ${consumer}` : events.map(line).join('\n');
}

function line({ eventId, type, aggregateId, state, attempts, failure, ageSeconds }: KeptEvent): string {
  const what = `${state} ${eventId} ${type || 'no event'} of ${aggregateId ?? 'nothing known'}`;
  return `${what}, ${attempts} attempts, ${ageSeconds} s old: ${failure}`;
}

async function release(pool: pg.Pool, { consumer, max, json }: Options): Promise<string> {
  const released = await releaseParkedEvents(pool, consumer, max);
  return json
    ? JSON.stringify({ consumer, released })
    : `${released} parked events of ${consumer} are due again`;
}

/** Waits until it is written: the command ends the process when it returns. */
function print(text: string): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(`${text}\n`, () => resolve());
  });
}
