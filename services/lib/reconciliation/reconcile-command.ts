import pg from 'pg';
import type { Logger } from '../log/index.ts';
import { runCommand } from '../service-runtime/index.ts';
import { systemClock } from '../time/index.ts';
import { readOptions } from './command-options.ts';
import { type ReconcileConfig, readReconcileConfig } from './config.ts';
import type { Span } from './reconciliation-rpcs.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 30_000;

/** What a `reconcile` command of a service compares, and how it says what it found. */
export interface ReconcileCommand<Found> {
  readonly usage: string;
  readonly compare: (parts: {
    readonly pool: pg.Pool;
    readonly config: ReconcileConfig;
    readonly log: Logger;
    readonly span: Span;
  }) => Promise<Found>;
  readonly differs: (found: Found) => boolean;
  /** What was found, for people. */
  readonly lines: (found: Found, span: Span) => string;
  /** The same for programs. */
  readonly json: (found: Found, span: Span) => string;
}

/**
 * The command of a service that compares its database with the submission service:
 * `node services/<service>/src/reconcile.ts --since TIME [--until TIME] [--json]`. Changes nothing. Exit code 1 when
 * something differs, 78 when it cannot run with its arguments or settings.
 */
export function runReconcileCommand<Found>({
  usage,
  compare,
  differs,
  lines,
  json,
}: ReconcileCommand<Found>): void {
  runCommand('reconcile', async (log) => {
    const options = readOptions(process.argv.slice(2), systemClock.now());
    if (options.help) return print(`${usage}\n`);
    const { span } = options;
    const config = readReconcileConfig();
    const pool = new pg.Pool({
      pipeline: true,
      connectionString: config.databaseUrl,
      max: 1,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
    });
    const found = await compare({ pool, config, log, span }).finally(() => pool.end());
    await print(options.json ? json(found, span) : lines(found, span));
    if (differs(found)) process.exit(1);
  });
}

/** Resolves when all of it is written: the process ends right after. */
function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });
}
