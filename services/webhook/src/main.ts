import { connectBus, eventVerifier, STREAMS, SUBSCRIPTIONS } from '@supplier/lib/events/event-bus';
import { lagReader } from '@supplier/lib/governance/reconciliation';
import { forgetOldCalls } from '@supplier/lib/rpc/idempotency';
import { runProcess } from '@supplier/lib/runtime/service-runtime';
import { startSweepers } from '@supplier/lib/runtime/sweepers';
import { serve } from '@supplier/lib/service';
import { SubmissionStatusChangedSchema } from '@supplier/proto/submission/v1/events';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { readConfig } from './config.ts';
import { createContext } from './context.ts';
import { startDelivery } from './deliver/start-delivery.ts';
import { expirePaused, notifyFailingEndpoints } from './endpoints/endpoint-sweeps.ts';
import { deleteOldEvents } from './erase/delete-old-events.ts';
import { foldDeliveries } from './figures/delivery-figures.ts';
import { compareChanges } from './reconcile/compare-changes.ts';
import { reconcile } from './reconcile/reconcile.ts';
import { onSubmissionStatusChanged } from './record/on-submission-status-changed.ts';
import { routes } from './routes.ts';

runProcess('webhook', async (process) => {
  const config = readConfig();
  const bus = connectBus(process, config.nats);
  const readLag = lagReader({ bus, ...SUBSCRIPTIONS.webhook });
  const context = createContext(config, process, { readLag });
  const { intakePool, deliveryPool, keyRing, policy } = context;
  await serve(process, {
    config,
    folder: new URL('../', import.meta.url),
    bus,
    pool: context.pool,
    clock: context.clock,
    clockIsKnown: context.clockIsKnown,
    table: 'endpoint',
    keyRing,
    stream: STREAMS.webhook,
    start(relay) {
      const delivery = startDelivery(process, {
        pool: deliveryPool,
        keyRing,
        policy,
        extraCa: config.extraCaFile,
      });
      context.wakes.connect({ relay: relay.wake, delivery: delivery.wake, reserve: delivery.reserve });
      startSweepers(
        process,
        [expirePaused, notifyFailingEndpoints, deleteOldEvents, forgetOldCalls, foldDeliveries, reconcile],
        context,
      );
    },
    consumes: {
      ...SUBSCRIPTIONS.webhook,
      isAuthentic: eventVerifier(config.eventKeysDir, 'webhook'),
      pool: intakePool,
      events: [SubmissionStatusChangedSchema],
      apply: onSubmissionStatusChanged(context),
    },
    compare: compareChanges(context),
    services: [WebhookService],
    routes: routes(context),
  });
});
