import { startAuditSealing } from '@supplier/lib/audit';
import { connectBus, STREAMS } from '@supplier/lib/event-bus';
import { checkGrants } from '@supplier/lib/migrations';
import { startRelay } from '@supplier/lib/outbox';
import { databaseReadiness } from '@supplier/lib/postgres';
import { reconciliationRoutes } from '@supplier/lib/reconciliation';
import { startRpcServer } from '@supplier/lib/rpc-server';
import { runProcess } from '@supplier/lib/service-runtime';
import { startSweepers } from '@supplier/lib/sweepers';
import { AccountService } from '@supplier/proto/account/v1/account';
import { ApprovalService } from '@supplier/proto/approval/v1/approval';
import { AuditService } from '@supplier/proto/audit/v1/audit';
import { ReconciliationService } from '@supplier/proto/reconciliation/v1/reconciliation';
import { readConfig } from './config.ts';
import { createContext } from './context.ts';
import { routes } from './rpc/index.ts';
import { takeOverDueTerms } from './sweepers/take-over-due-terms.ts';

runProcess('account', async (process) => {
  const config = readConfig();
  process.log.level = config.logLevel;
  const context = createContext(config, process);
  const { pool, wakes } = context;
  checkGrants(process, pool, new URL('../', import.meta.url));
  startAuditSealing(process, pool);
  const bus = connectBus(process, config.nats);
  const relay = startRelay(process, { pool, bus, stream: STREAMS.account, settings: config.events });
  wakes.connect({ relay: relay.wake });
  startSweepers(process, [takeOverDueTerms], context);

  const reconciliation = reconciliationRoutes({
    pool,
    clock: context.clock,
    keepsFailedEvents: false,
  });
  await startRpcServer(process, {
    config,
    services: [AccountService, ApprovalService, AuditService, ReconciliationService],
    routes: (router) => {
      routes(context)(router);
      reconciliation(router);
    },
    ready: databaseReadiness(config, process, 'account'),
  });
});
