import { checkGrants, migrationNames } from '@supplier/lib/data/migrations';
import { databaseReadiness } from '@supplier/lib/data/postgres';
import { connectBus, SUBSCRIPTIONS, startConsumer, unchecked } from '@supplier/lib/events/event-bus';
import { startRpcServer } from '@supplier/lib/rpc/rpc-server';
import { NotReady, runProcess } from '@supplier/lib/runtime/service-runtime';
import { DocumentFinalizedSchema } from '@supplier/proto/document/v1/events';
import { type ContentProcess, canCheckContent, contentIsolation } from './content/index.ts';
import { requireEncryptionAtRest } from './object-store/index.ts';
import { measureWaiting, startScanWorker } from './scan/scan-worker.ts';
import { readScannerConfig } from './scan/scanner-config.ts';
import { createContext } from './scan/scanner-context.ts';

const CONTENT_READY_MS = 60_000;

/** The scanner: a separate process, and the only one that moves bytes between quarantine and the clean area. */
runProcess('scanner', async (process) => {
  const config = readScannerConfig();
  process.log.level = config.logLevel;
  if (config.signatures.anySignatures)
    process.log.warn(
      { setting: 'SSS_SCAN_WITH_ANY_SIGNATURES' },
      'sandbox documents are scanned with any signatures',
    );
  if (config.content.socket === undefined && contentIsolation().length === 0)
    process.log.warn({ reason: 'unshare failed' }, 'content checks are not isolated');
  if (!config.isLocal) await requireEncryptionAtRest(config.store);
  const context = await createContext(config, process);
  const { pool, clock, gate } = context;
  const worker = startScanWorker(process, context);

  measureWaiting(process.metrics, pool, clock);
  const folder = new URL('../', import.meta.url);
  checkGrants(process, pool, folder);
  startConsumer(process, {
    bus: connectBus(process, config.nats),
    ...SUBSCRIPTIONS.scanner,
    pool,
    events: [DocumentFinalizedSchema],
    // Only a wake-up: the queue is in the database, and an extra poll does no harm.
    isAuthentic: unchecked,
    apply: async () => worker.wake,
  });
  const contentReady = contentReadiness(context.inspect);
  const databaseReady = databaseReadiness(config, process, {
    table: 'document',
    migrations: migrationNames(folder),
  });
  await startRpcServer(process, {
    config,
    services: [],
    routes: () => {},
    async ready() {
      await databaseReady();
      if (!gate.available())
        throw new NotReady('clamd is not responding, or lacks recent official signatures');
      await contentReady();
    },
  });
});

/** Returns a check that rejects with NotReady unless a harmless document can be checked. A success holds for a minute. */
function contentReadiness(inspect: (contentType: string) => ContentProcess): () => Promise<void> {
  let last: { readonly at: number; readonly works: Promise<boolean> } | undefined;
  return async () => {
    if (last === undefined || performance.now() - last.at > CONTENT_READY_MS)
      last = { at: performance.now(), works: canCheckContent(inspect) };
    if (await last.works) return;
    last = undefined;
    throw new NotReady('content cannot be checked');
  };
}
