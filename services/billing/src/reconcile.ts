/**
 * Command: compares what suppliers are shown as billable with what the ledger charges.
 * `node services/billing/src/reconcile.ts --since 2026-11-20T10:00:00Z`; `--help` says more.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { runReconcileCommand } from '@supplier/lib/reconciliation';
import { rpcAccess } from '@supplier/lib/rpc-client';
import { reconcileLedger } from './reconciliation/reconcile-ledger.ts';
import { reportJson, reportLines } from './reconciliation/report.ts';
import { submissionClient } from './submission-client.ts';

const USAGE = `usage: reconcile --since TIME [--until TIME] [--json]

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

const SETTLES_WITHIN_MS = 5_000;

runReconcileCommand({
  usage: USAGE,
  async compare({ pool, config, log, span }) {
    const { listChanged, listShown } = submissionClient(config.submissionUrl, rpcAccess(config, log));
    const settle = () => pause(SETTLES_WITHIN_MS);
    return reconcileLedger({ pool, listChanged, listShown, settle }, span);
  },
  differs: ({ differences }) => differences.length > 0,
  lines: reportLines,
  json: reportJson,
});
