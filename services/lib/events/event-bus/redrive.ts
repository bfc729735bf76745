/**
 * Command: lists the events that a consumer of a service could not apply, or gives parked ones another eight attempts;
 * or does the same for events that the service's stream rejects.
 *
 * `SSS_DATABASE_URL=postgresql://… node services/lib/events/event-bus/redrive.ts --consumer billing --list`
 */
import type pg from 'pg';
import { withCommandPool } from '../../data/postgres/index.ts';
import { FLAG, print, runCommand } from '../../runtime/command/index.ts';
import { ConfigError, postgresUrl, readCommandEnvironment } from '../../runtime/config/index.ts';
import {
  listParkedOutboxEvents,
  type ParkedEvent,
  releaseParkedOutboxEvents,
} from '../outbox/parked-events.ts';
import {
  deleteUnauthenticated,
  type KeptEvent,
  listKeptEvents,
  releaseParkedEvents,
} from './failed-events.ts';

const USAGE = `usage: redrive (--consumer NAME | --outbox) [--max COUNT] [--list | --delete-unauthenticated] [--json]
  Releases parked events, oldest first, at most COUNT (default 1000).
  --consumer NAME  events that the consumer could not apply: its running processes retry them
  --outbox         events of the service's outbox that the stream refused: its relay publishes them again
  --list           only lists events that are parked or being retried, parked ones first
  --delete-unauthenticated
                   only deletes the consumer's messages that are not authentic, which are never released
  --json           prints the list, or the count, as JSON`;

interface Place {
  readonly name: { readonly consumer: string } | { readonly outbox: true };
  readonly none: string;
  list(pool: pg.Pool, max: number): Promise<readonly { readonly event: object; readonly line: string }[]>;
  release(pool: pg.Pool, max: number): Promise<number>;
  readonly released: (count: number) => string;
  /** Deletes unauthenticated messages, which only a consumer keeps. */
  forget(pool: pg.Pool): Promise<number>;
}

interface Options {
  readonly place: Place;
  readonly max: number;
  readonly json: boolean;
}

const flags = {
  consumer: { type: 'string' },
  outbox: FLAG,
  max: { type: 'string', default: '1000' },
  list: FLAG,
  'delete-unauthenticated': FLAG,
  json: FLAG,
} as const;

runCommand('redrive', { usage: USAGE, flags }, async ({ consumer, outbox, list: lists, json, ...values }) => {
  const max = Number(values.max);
  const deletes = values['delete-unauthenticated'];
  if (deletes && (outbox || lists)) throw new ConfigError(USAGE);
  if ((consumer === undefined) !== outbox || consumer === '') throw new ConfigError(USAGE);
  if (!Number.isInteger(max) || max < 1 || max > 100_000) throw new ConfigError(USAGE);
  const options = { place: consumer === undefined ? outboxPlace() : failedEventsOf(consumer), max, json };
  const env = readCommandEnvironment({ SSS_DATABASE_URL: postgresUrl() });
  const change = deletes ? forget : release;
  const work = (pool: pg.Pool) => (lists ? list(pool, options) : change(pool, options));
  print(await withCommandPool(env.SSS_DATABASE_URL, 'redrive', work));
});

function failedEventsOf(consumer: string): Place {
  return {
    name: { consumer },
    none: `${consumer} has no failed events`,
    list: async (pool, max) =>
      (await listKeptEvents(pool, consumer, max)).map((event) => ({ event, line: keptLine(event) })),
    release: (pool, max) => releaseParkedEvents(pool, consumer, max),
    released: (count) => `${count} parked events of ${consumer} will be retried`,
    forget: (pool) => deleteUnauthenticated(pool, consumer),
  };
}

function keptLine({ eventId, type, aggregateId, state, attempts, failure, ageSeconds }: KeptEvent): string {
  const what = `${state} ${eventId} ${type || 'no event'} of ${aggregateId ?? 'unknown aggregate'}`;
  return `${what}, ${attempts} attempts, ${ageSeconds} s old: ${failure}`;
}

function outboxPlace(): Place {
  return {
    name: { outbox: true },
    none: 'the outbox has no parked events',
    list: async (pool, max) =>
      (await listParkedOutboxEvents(pool, max)).map((event) => ({ event, line: parkedLine(event) })),
    release: releaseParkedOutboxEvents,
    released: (count) => `${count} parked events of the outbox will be published again`,
    forget: async () => 0,
  };
}

function parkedLine({ eventId, type, aggregateId, byteSize, failure, ageSeconds }: ParkedEvent): string {
  return `parked ${eventId} ${type} of ${aggregateId}, ${byteSize} bytes, ${ageSeconds} s old: ${failure}`;
}

async function list(pool: pg.Pool, { place, max, json }: Options): Promise<string> {
  const found = await place.list(pool, max);
  if (json) return JSON.stringify({ ...place.name, events: found.map(({ event }) => event) }, null, 2);
  return found.length === 0 ? place.none : found.map(({ line }) => line).join('\n');
}

async function release(pool: pg.Pool, { place, max, json }: Options): Promise<string> {
  const released = await place.release(pool, max);
  return json ? JSON.stringify({ ...place.name, released }) : place.released(released);
}

async function forget(pool: pg.Pool, { place, json }: Options): Promise<string> {
  const deleted = await place.forget(pool);
  return json ? JSON.stringify({ ...place.name, deleted }) : `${deleted} unauthenticated messages deleted`;
}
