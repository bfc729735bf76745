import { parseArgs } from 'node:util';
import { ConfigError } from '../config/index.ts';
import { parseTimestamp, toDate } from '../time/index.ts';
import type { Span } from './reconciliation-rpcs.ts';

/** What the outbox of the submission service keeps. */
const OLDEST_MS = 7 * 86_400_000;
const YOUNGEST_MS = 60_000;

/** What a `reconcile` command was asked for. */
export interface ReconcileOptions {
  readonly help: boolean;
  readonly json: boolean;
  readonly span: Span;
}

/** Reads the arguments of the command. Throws a ConfigError that says what is wrong with them. */
export function readOptions(args: readonly string[], now: Date): ReconcileOptions {
  const values = parse(args);
  const { help = false, json = false } = values;
  if (help) return { help, json, span: { since: now, until: now } };
  if (values.since === undefined) throw new ConfigError('--since is missing; --help says more');
  const since = timeOf('--since', values.since);
  const until =
    values.until === undefined ? new Date(now.getTime() - YOUNGEST_MS) : timeOf('--until', values.until);
  if (now.getTime() - since.getTime() > OLDEST_MS) {
    throw new ConfigError('--since is more than seven days ago: changes that old are no longer listed');
  }
  if (since >= until)
    throw new ConfigError('--since is not before --until, which is one minute ago by default');
  return { help, json, span: { since, until } };
}

function parse(args: readonly string[]) {
  try {
    const options = {
      since: { type: 'string' },
      until: { type: 'string' },
      json: { type: 'boolean' },
      help: { type: 'boolean' },
    } as const;
    return parseArgs({ args: [...args], options }).values;
  } catch {
    throw new ConfigError('an argument is unknown or lacks its value; --help says more');
  }
}

function timeOf(name: string, value: string): Date {
  const time = parseTimestamp(value);
  if (!time) throw new ConfigError(`${name} is not a UTC time such as 2026-11-20T10:00:00Z`);
  return toDate(time);
}
