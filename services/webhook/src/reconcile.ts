/**
 * Command: checks that every change of a submission has its event, and that no event is stuck.
 * `node services/webhook/src/reconcile.ts --since 2026-11-20T10:00:00Z`; `--help` says more.
 */
import { type AccountId, type EventId, parseId, type SubmissionId } from '@supplier/lib/ids';
import { createRpcClient, serviceTokens } from '@supplier/lib/rpc-client';
import { runCommand } from '@supplier/lib/service-runtime';
import { systemClock, toDate, toTimestamp } from '@supplier/lib/time';
import type { RecordedChange } from '@supplier/proto/submission/v1/status_changes';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import pg from 'pg';
import { openDatabase } from './db/database.ts';
import { environmentNameOf } from './domain/environment.ts';
import type { ToldChange } from './domain/reconciliation.ts';
import { type ReconcileConfig, readReconcileConfig } from './reconciliation/config.ts';
import { readOptions, USAGE } from './reconciliation/options.ts';
import {
  type ListChanges,
  type Reconciliation,
  reconcileChanges,
  type Span,
} from './reconciliation/reconcile-changes.ts';
import { reportJson, reportLines } from './reconciliation/report.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 30_000;
const RPC_TIMEOUT_MS = 10_000;
const PROGRESS_EVERY_MS = 2_000;

runCommand('reconcile', async () => {
  const { help, json, span } = readOptions(process.argv.slice(2), systemClock.now());
  if (help) return print(`${USAGE}\n`);
  const found = await reconcile(readReconcileConfig(), span);
  await print(json ? reportJson(found, span) : reportLines(found, span));
  if (found.exceptions.length > 0) process.exit(1);
});

async function reconcile(config: ReconcileConfig, span: Span): Promise<Reconciliation> {
  const pool = new pg.Pool({
    connectionString: config.databaseUrl,
    max: 1,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
  });
  try {
    const parts = { db: openDatabase(pool), clock: systemClock, listChanges: listChangesOf(config) };
    return await reconcileChanges(parts, span, progress());
  } finally {
    await pool.end();
  }
}

function listChangesOf({ submissionUrl, serviceTokenDir }: ReconcileConfig): ListChanges {
  const submissions = createRpcClient(SubmissionService, {
    baseUrl: submissionUrl,
    audience: 'submission',
    tokens: serviceTokens(serviceTokenDir),
    timeoutMs: RPC_TIMEOUT_MS,
  });
  return async ({ since, until }, pageToken) => {
    const { changes, nextPageToken } = await submissions.listStatusChanges({
      recordedSince: toTimestamp(since),
      recordedUntil: toTimestamp(until),
      pageToken,
    });
    return { changes: changes.map(readChange), next: nextPageToken };
  };
}

function readChange(change: RecordedChange): ToldChange {
  const eventId = parseId<EventId>(change.eventId);
  const submissionId = parseId<SubmissionId>(change.submissionId);
  const accountId = parseId<AccountId>(change.accountId);
  const environment = environmentNameOf(change.environment);
  if (!eventId || !submissionId || !accountId || !environment || !change.occurredAt) {
    throw new Error('a recorded change says which event told whose submission changed, where and when');
  }
  return { eventId, submissionId, accountId, environment, occurredAt: toDate(change.occurredAt) };
}

/** Tells on standard error how far it is, every two seconds at most. */
function progress(): (checked: number) => void {
  let told = performance.now();
  return (checked) => {
    if (performance.now() - told < PROGRESS_EVERY_MS) return;
    told = performance.now();
    process.stderr.write(`${checked} changes checked\n`);
  };
}

/** Resolves when all of it is written: the process ends right after. */
function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });
}
