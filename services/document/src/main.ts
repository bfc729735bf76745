import { startAuditSealing } from '@supplier/lib/audit';
import { connectBus, STREAMS } from '@supplier/lib/event-bus';
import { requireKeysInUse } from '@supplier/lib/key-rotation';
import { checkGrants } from '@supplier/lib/migrations';
import { startRelay } from '@supplier/lib/outbox';
import { databaseReadiness } from '@supplier/lib/postgres';
import { reconciliationRoutes } from '@supplier/lib/reconciliation';
import { startRpcServer } from '@supplier/lib/rpc-server';
import { runProcess } from '@supplier/lib/service-runtime';
import { startSweepers } from '@supplier/lib/sweepers';
import { AuditService } from '@supplier/proto/audit/v1/audit';
import { DocumentService } from '@supplier/proto/document/v1/document';
import { ReconciliationService } from '@supplier/proto/reconciliation/v1/reconciliation';
import { readConfig } from './config.ts';
import { createContext } from './context.ts';
import { requireEncryptionAtRest } from './object-store/index.ts';
import { routes } from './rpc/index.ts';
import { compareStore } from './store-check/compare-store.ts';
import { expireUnfinalized } from './sweepers/expire-unfinalized.ts';
import { forgetAbandoned } from './sweepers/forget-abandoned.ts';
import { removeObjects } from './sweepers/remove-objects.ts';
import { retention } from './sweepers/retention.ts';
import { unacceptedRetention } from './sweepers/unaccepted-retention.ts';

runProcess('document', async (process) => {
  const config = readConfig();
  process.log.level = config.logLevel;
  if (!config.isLocal) await requireEncryptionAtRest(config.store);
  const context = await createContext(config, process);
  const { pool, wakes, keyRing } = context;
  await requireKeysInUse(process, pool, keyRing);
  checkGrants(process, pool, new URL('../', import.meta.url));
  startAuditSealing(process, pool);
  const bus = connectBus(process, config.nats);
  const relay = startRelay(process, { pool, bus, stream: STREAMS.document, settings: config.events });
  wakes.connect({ relay: relay.wake });

  startSweepers(
    process,
    [expireUnfinalized, forgetAbandoned, retention, unacceptedRetention, removeObjects],
    context,
  );
  const reconciliation = reconciliationRoutes({
    pool,
    clock: context.clock,
    compare: compareStore(context),
    keepsFailedEvents: true,
  });
  await startRpcServer(process, {
    config,
    services: [DocumentService, AuditService, ReconciliationService],
    routes: (router) => {
      routes(context)(router);
      reconciliation(router);
    },
    ready: databaseReadiness(config, process, 'document'),
  });
});
