import { startAuditSealing } from '@supplier/lib/audit';
import { connectBus, STREAMS, SUBSCRIPTIONS, startConsumer } from '@supplier/lib/event-bus';
import { requireKeysInUse } from '@supplier/lib/key-rotation';
import { checkGrants } from '@supplier/lib/migrations';
import { startRelay } from '@supplier/lib/outbox';
import { databaseReadiness } from '@supplier/lib/postgres';
import { lagReader, reconciliationRoutes } from '@supplier/lib/reconciliation';
import { startRpcServer } from '@supplier/lib/rpc-server';
import { runProcess } from '@supplier/lib/service-runtime';
import { startSweepers } from '@supplier/lib/sweepers';
import { AuditService } from '@supplier/proto/audit/v1/audit';
import { ReconciliationService } from '@supplier/proto/reconciliation/v1/reconciliation';
import { SubmissionStatusChangedSchema } from '@supplier/proto/submission/v1/events';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { readConfig } from './config.ts';
import { createContext } from './context.ts';
import { startDelivery } from './delivery/index.ts';
import { onSubmissionStatusChanged } from './events/on-submission-status-changed.ts';
import { compareChanges } from './reconciliation/compare-changes.ts';
import { routes } from './rpc/index.ts';
import { SWEEPS } from './sweepers/index.ts';

runProcess('webhook', async (process) => {
  const config = readConfig();
  process.log.level = config.logLevel;
  const bus = connectBus(process, config.nats);
  const readLag = lagReader({ bus, ...SUBSCRIPTIONS.webhook });
  const context = createContext(config, process, { readLag });
  const { pool, intakePool, deliveryPool, keyRing, policy } = context;
  await requireKeysInUse(process, pool, keyRing);
  checkGrants(process, pool, new URL('../', import.meta.url));
  startAuditSealing(process, pool);

  const relay = startRelay(process, { pool, bus, stream: STREAMS.webhook, settings: config.events });
  const delivery = startDelivery(process, { pool: deliveryPool, keyRing, policy, extraCa: config.extraCa });
  context.wakes.connect({ relay: relay.wake, delivery: delivery.wake });
  startSweepers(process, SWEEPS, context);
  startConsumer(process, {
    bus,
    ...SUBSCRIPTIONS.webhook,
    pool: intakePool,
    events: [SubmissionStatusChangedSchema],
    once: 'own-key',
    apply: onSubmissionStatusChanged(context),
  });
  const reconciliation = reconciliationRoutes({
    pool,
    clock: context.clock,
    compare: compareChanges(context),
    consumer: { bus, ...SUBSCRIPTIONS.webhook },
    keepsFailedEvents: true,
  });
  await startRpcServer(process, {
    config,
    services: [WebhookService, AuditService, ReconciliationService],
    routes: (router) => {
      routes(context)(router);
      reconciliation(router);
    },
    ready: databaseReadiness(config, process, 'endpoint', context.clockIsKnown),
  });
});
