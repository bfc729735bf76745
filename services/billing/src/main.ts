import { startAuditSealing } from '@supplier/lib/audit';
import { connectBus, STREAMS, SUBSCRIPTIONS, startConsumer } from '@supplier/lib/event-bus';
import { checkGrants } from '@supplier/lib/migrations';
import { startRelay } from '@supplier/lib/outbox';
import { databaseReadiness } from '@supplier/lib/postgres';
import { reconciliationRoutes } from '@supplier/lib/reconciliation';
import { startRpcServer } from '@supplier/lib/rpc-server';
import { runProcess } from '@supplier/lib/service-runtime';
import { AuditService } from '@supplier/proto/audit/v1/audit';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { ReconciliationService } from '@supplier/proto/reconciliation/v1/reconciliation';
import { readConfig } from './config.ts';
import { createContext } from './context.ts';
import { applySubmissionEvents } from './events/apply-submission-events.ts';
import { SUBMISSION_EVENTS } from './events/read-lead-event.ts';
import { compareLedger } from './reconciliation/compare-ledger.ts';
import { routes } from './rpc/index.ts';

runProcess('billing', async (process) => {
  const config = readConfig();
  process.log.level = config.logLevel;
  const context = createContext(config, process);
  const { clock, pool } = context;
  checkGrants(process, pool, new URL('../', import.meta.url));
  startAuditSealing(process, pool);
  const bus = connectBus(process, config.nats);
  const relay = startRelay(process, { pool, bus, stream: STREAMS.billing, settings: config.events });
  startConsumer(process, {
    bus,
    ...SUBSCRIPTIONS.billing,
    pool,
    events: SUBMISSION_EVENTS,
    once: 'inbox',
    apply: applySubmissionEvents({ clock, wakeRelay: relay.wake }),
  });
  const served = { ...context, wakeRelay: relay.wake };
  const reconciliation = reconciliationRoutes({
    pool,
    clock,
    compare: compareLedger(served),
    consumer: { bus, ...SUBSCRIPTIONS.billing },
    keepsFailedEvents: true,
  });
  await startRpcServer(process, {
    config,
    services: [BillingService, AuditService, ReconciliationService],
    routes: (router) => {
      routes(served)(router);
      reconciliation(router);
    },
    ready: databaseReadiness(config, process, 'lead'),
  });
});
