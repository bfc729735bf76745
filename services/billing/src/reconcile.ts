/**
 * Command: compares what suppliers are shown as billable with what the ledger charges.
 * `node services/billing/src/reconcile.ts --since 2026-11-20T10:00:00Z`; `--help` says more.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '@supplier/lib/log';
import { rpcAccess } from '@supplier/lib/rpc-client';
import { runCommand } from '@supplier/lib/service-runtime';
import { systemClock } from '@supplier/lib/time';
import pg from 'pg';
import type { Span } from './domain/reconciliation.ts';
import { type ReconcileConfig, readReconcileConfig } from './reconciliation/config.ts';
import { readOptions, USAGE } from './reconciliation/options.ts';
import { type Reconciliation, reconcileLedger } from './reconciliation/reconcile-ledger.ts';
import { reportJson, reportLines } from './reconciliation/report.ts';
import { submissionClient } from './submission-client.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 30_000;
const SETTLES_WITHIN_MS = 5_000;

runCommand('reconcile', async (log) => {
  const { help, json, span } = readOptions(process.argv.slice(2), systemClock.now());
  if (help) return print(`${USAGE}\n`);
  const found = await reconcile(readReconcileConfig(), span, log);
  await print(json ? reportJson(found, span) : reportLines(found, span));
  if (found.differences.length > 0) process.exit(1);
});

async function reconcile(config: ReconcileConfig, span: Span, log: Logger): Promise<Reconciliation> {
  const pool = new pg.Pool({
    connectionString: config.databaseUrl,
    max: 1,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
  });
  try {
    const { listChanged, listShown } = submissionClient(config.submissionUrl, rpcAccess(config, log));
    const settle = () => pause(SETTLES_WITHIN_MS);
    return await reconcileLedger({ pool, listChanged, listShown, settle }, span);
  } finally {
    await pool.end();
  }
}

/** Resolves when all of it is written: the process ends right after. */
function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });
}
