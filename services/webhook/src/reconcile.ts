/**
 * Command: checks that every change of a submission has its event, and that no event is stuck.
 * `node services/webhook/src/reconcile.ts --since 2026-11-20T10:00:00Z`; `--help` says more.
 */
import { runReconcileCommand } from '@supplier/lib/reconciliation';
import { rpcAccess } from '@supplier/lib/rpc-client';
import { reconcileChanges } from './reconciliation/reconcile-changes.ts';
import { reportJson, reportLines } from './reconciliation/report.ts';
import { submissionClient } from './submission-client.ts';

const USAGE = `usage: reconcile --since TIME [--until TIME] [--json]

Checks every change of a submission that was recorded from one time on and before another against the webhook
database: that it has its event, and that the event has arrived, has ended, is on its way or gave way to a later one.
Prints what is wrong, one change a line, and a summary. Changes nothing.

  --since TIME   such as 2026-11-20T10:00:00Z, at most seven days ago: older changes are no longer listed
  --until TIME   one minute ago by default: what is younger may be on its way here
  --json         prints one JSON object instead
  --help         prints this

Needs SSS_DATABASE_URL (the webhook database), SSS_SUBMISSION_URL and SSS_SERVICE_TOKEN_DIR, as the service does.
Exit code: 0 nothing is wrong, 1 something is or it could not be found out, 78 it cannot run like this.`;

const PROGRESS_EVERY_MS = 2_000;

runReconcileCommand({
  usage: USAGE,
  async compare({ pool, config, log, span }) {
    const { listChanges } = submissionClient(config.submissionUrl, rpcAccess(config, log));
    return reconcileChanges({ pool, listChanges }, span, progress());
  },
  differs: ({ exceptions }) => exceptions.length > 0,
  lines: reportLines,
  json: reportJson,
});

/** Says on standard error how far it is, every two seconds at most. */
function progress(): (checked: number) => void {
  let saidAt = performance.now();
  return (checked) => {
    if (performance.now() - saidAt < PROGRESS_EVERY_MS) return;
    saidAt = performance.now();
    process.stderr.write(`${checked} changes checked\n`);
  };
}
