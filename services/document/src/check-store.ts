/** Command: compares the store with the database. `SSS_DATABASE_URL=… SSS_STORE=… node src/check-store.ts` */
import { withCommandPool } from '@supplier/lib/data/postgres';
import { FLAG, print, runCommand } from '@supplier/lib/runtime/command';
import { postgresUrl, readCommandEnvironment } from '@supplier/lib/runtime/config';
import { systemClock } from '@supplier/lib/text/time';
import { openObjectStore } from './object-store/index.ts';
import { storeConfig, storeVariables } from './object-store/store-config.ts';
import { checkStore, type Summary } from './reconcile/compare-store.ts';
import { describeException } from './reconcile/find-differences.ts';
import { openDatabase } from './store/database.ts';

const PROGRESS_MS = 5_000;
const USAGE = `usage: check-store [--json] [--remove-orphans] [--stopped]
Compares stored objects with the document database, and prints every difference:
  orphan       an object older than an hour that no document refers to
  missing      the object of a document does not exist
  other size   its size differs from the document's
  other bytes  its ETag differs from the document's
  not clean    it is in the clean area, but its document is not clean
  --json            one JSON object per line, the last one the summary
  --remove-orphans  schedules the removal of the orphans, which the service carries out
  --stopped         the service and its scanner are stopped: newer objects without a document are orphans too
Exits with 1 if there is a difference.`;

const flags = { json: FLAG, 'remove-orphans': FLAG, stopped: FLAG };

runCommand(
  'check-store',
  { usage: USAGE, flags },
  async ({ json, stopped, 'remove-orphans': removeOrphans }) => {
    const values = readCommandEnvironment({
      SSS_DATABASE_URL: postgresUrl(),
      ...storeVariables,
    });
    const store = await openObjectStore(storeConfig(values));
    const summary = await withCommandPool(values.SSS_DATABASE_URL, 'check-store', (pool) =>
      checkStore({
        db: openDatabase(pool),
        pool,
        store,
        now: systemClock.now(),
        removeOrphans,
        stopped,
        found: (exception) => print(json ? JSON.stringify(exception) : describeException(exception)),
        progress: progressEvery(PROGRESS_MS),
      }),
    );
    print(json ? JSON.stringify({ kind: 'summary', ...summary }) : describeSummary(summary));
    if (summary.exceptions > 0) process.exit(1);
  },
);

function progressEvery(ms: number): (soFar: Summary) => void {
  let last = performance.now();
  return (soFar) => {
    if (performance.now() - last < ms) return;
    last = performance.now();
    process.stderr.write(`${describeSummary(soFar)} so far\n`);
  };
}

function describeSummary({ objects, documents, exceptions, removalsScheduled }: Summary): string {
  const scheduled = removalsScheduled > 0 ? `, ${removalsScheduled} to be removed` : '';
  return `${objects} objects, ${documents} documents, ${exceptions} exceptions${scheduled}`;
}
