import { parseArgs } from 'node:util';
import { ConfigError } from '@supplier/lib/config';
import { parseTimestamp, toDate } from '@supplier/lib/time';
import type { Span } from '../domain/reconciliation.ts';

export const USAGE = `usage: reconcile --since TIME [--until TIME] [--json]

Compares every production submission that changed from one time on and before another, as its supplier sees it, with the
ledger: what is shown as billable is charged for once, what is not is not, or has its charge taken back. Prints every
difference, one a line, and the totals of each account. Changes nothing. A difference counts when it is still there five
seconds later: what has just changed is on its way.

  --since TIME   such as 2026-11-20T10:00:00Z, at most seven days ago: older changes are no longer listed
  --until TIME   one minute ago by default
  --json         prints one JSON object instead
  --help         prints this

Needs SSS_DATABASE_URL (the billing database), SSS_SUBMISSION_URL and SSS_SERVICE_TOKEN_DIR, as the service does.
Exit code: 0 nothing differs, 1 something does or it could not be found out, 78 it cannot run like this.`;

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
  const { help = false, json = false, since: from, until: to } = parse(args);
  if (help) return { help, json, span: { since: now, until: now } };
  if (from === undefined) throw new ConfigError('--since is missing; --help says more');
  const since = timeOf('--since', from);
  const until = to === undefined ? new Date(now.getTime() - YOUNGEST_MS) : timeOf('--until', to);
  if (now.getTime() - since.getTime() > OLDEST_MS)
    throw new ConfigError('--since is more than seven days ago: changes that old are no longer listed');
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
