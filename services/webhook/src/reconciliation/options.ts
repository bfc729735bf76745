import { parseArgs } from 'node:util';
import { ConfigError } from '@supplier/lib/config';
import { parseTimestamp, toDate } from '@supplier/lib/time';
import type { Span } from '../domain/reconciliation.ts';

export const USAGE = `usage: reconcile --since TIME [--until TIME] [--json]

Checks every change of a submission that was recorded from one time on and before another against the webhook
database: that it has its event, and that the event has arrived, has ended, is on its way or gave way to a later one.
Prints what is wrong, one change a line, and a summary. Changes nothing.

  --since TIME   such as 2026-11-20T10:00:00Z, at most seven days ago: older changes are no longer listed
  --until TIME   one minute ago by default: what is younger may be on its way here
  --json         prints one JSON object instead
  --help         prints this

Needs SSS_DATABASE_URL (the webhook database), SSS_SUBMISSION_URL and SSS_SERVICE_TOKEN_DIR, as the service does.
Exit code: 0 nothing is wrong, 1 something is or it could not be found out, 78 it cannot run like this.`;

/** What the outbox of the submission service keeps. */
const OLDEST_MS = 7 * 86_400_000;
const YOUNGEST_MS = 60_000;

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
