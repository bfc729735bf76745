import { startAuditSealing } from '@supplier/lib/audit';
import { connectBus, STREAMS, SUBSCRIPTIONS, startConsumer } from '@supplier/lib/event-bus';
import { requireKeysInUse } from '@supplier/lib/key-rotation';
import { checkGrants } from '@supplier/lib/migrations';
import { startRelay } from '@supplier/lib/outbox';
import { databaseReadiness } from '@supplier/lib/postgres';
import { reconciliationRoutes } from '@supplier/lib/reconciliation';
import { startRpcServer } from '@supplier/lib/rpc-server';
import { runProcess } from '@supplier/lib/service-runtime';
import { ApprovalService } from '@supplier/proto/approval/v1/approval';
import { AuditService } from '@supplier/proto/audit/v1/audit';
import { BillingChangedSchema } from '@supplier/proto/billing/v1/events';
import { ReconciliationService } from '@supplier/proto/reconciliation/v1/reconciliation';
import { PolicyService } from '@supplier/proto/submission/v1/policies';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { readConfig } from './config.ts';
import { createContext } from './context.ts';
import { applyBillingChanges } from './events/apply-billing-changes.ts';
import { startPolicies } from './policies/start-policies.ts';
import { routes } from './rpc/index.ts';
import { startWorkers } from './work/index.ts';

runProcess('submission', async (process) => {
  const config = readConfig();
  process.log.level = config.logLevel;
  const context = createContext(config, process);
  const { workPool, wakes } = context;
  await requireKeysInUse(process, workPool, context.keyRing);
  await startPolicies(process, context);
  checkGrants(process, workPool, new URL('../', import.meta.url));
  startAuditSealing(process, workPool);
  const bus = connectBus(process, config.nats);

  const relay = startRelay(process, {
    pool: workPool,
    bus,
    stream: STREAMS.submission,
    settings: config.events,
  });
  wakes.connect({ events: relay.wake, ...startWorkers(process, context) });
  startConsumer(process, {
    bus,
    ...SUBSCRIPTIONS.submission,
    pool: workPool,
    events: [BillingChangedSchema],
    once: 'inbox',
    apply: applyBillingChanges(context),
  });
  const reconciliation = reconciliationRoutes({
    pool: workPool,
    clock: context.clock,
    consumer: { bus, ...SUBSCRIPTIONS.submission },
    keepsFailedEvents: true,
  });
  await startRpcServer(process, {
    config,
    services: [
      ...[SubmissionService, PrivacyService, PolicyService],
      ...[ApprovalService, AuditService, ReconciliationService],
    ],
    routes: (router) => {
      routes(context)(router);
      reconciliation(router);
    },
    ready: databaseReadiness(config, process, 'submission', context.clockIsKnown),
  });
});
