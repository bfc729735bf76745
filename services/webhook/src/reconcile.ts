/**
 * Command: checks that every change of a submission has its event, and that no event is stuck.
 * `node services/webhook/src/reconcile.ts --since 2026-11-20T10:00:00Z`; `--help` says more.
 */
import type { Logger } from '@supplier/lib/log';
import { rpcAccess } from '@supplier/lib/rpc-client';
import { runCommand } from '@supplier/lib/service-runtime';
import { systemClock } from '@supplier/lib/time';
import pg from 'pg';
import type { Span } from './domain/reconciliation.ts';
import { type ReconcileConfig, readReconcileConfig } from './reconciliation/config.ts';
import { readOptions, USAGE } from './reconciliation/options.ts';
import { type Reconciliation, reconcileChanges } from './reconciliation/reconcile-changes.ts';
import { reportJson, reportLines } from './reconciliation/report.ts';
import { submissionClient } from './submission-client.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 30_000;
const PROGRESS_EVERY_MS = 2_000;

runCommand('reconcile', async (log) => {
  const { help, json, span } = readOptions(process.argv.slice(2), systemClock.now());
  if (help) return print(`${USAGE}\n`);
  const found = await reconcile(readReconcileConfig(), span, log);
  await print(json ? reportJson(found, span) : reportLines(found, span));
  if (found.exceptions.length > 0) process.exit(1);
});

async function reconcile(config: ReconcileConfig, span: Span, log: Logger): Promise<Reconciliation> {
  const pool = new pg.Pool({
    pipeline: true,
    connectionString: config.databaseUrl,
    max: 1,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
  });
  try {
    const { listChanges } = submissionClient(config.submissionUrl, rpcAccess(config, log));
    return await reconcileChanges({ pool, listChanges }, span, progress());
  } finally {
    await pool.end();
  }
}

/** Says on standard error how far it is, every two seconds at most. */
function progress(): (checked: number) => void {
  let saidAt = performance.now();
  return (checked) => {
    if (performance.now() - saidAt < PROGRESS_EVERY_MS) return;
    saidAt = performance.now();
    process.stderr.write(`${checked} changes checked\n`);
  };
}

/** Resolves when all of it is written: the process ends right after. */
function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });
}
