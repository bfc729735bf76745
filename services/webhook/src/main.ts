import { KeyRing } from '@supplier/lib/crypto';
import { connectBus, STREAMS, startConsumer } from '@supplier/lib/event-bus';
import { startRelay } from '@supplier/lib/outbox';
import { databaseReadiness, openPool } from '@supplier/lib/postgres';
import { serviceTokens } from '@supplier/lib/rpc-client';
import { startRpcServer } from '@supplier/lib/rpc-server';
import { runProcess } from '@supplier/lib/service-runtime';
import { startSweepers } from '@supplier/lib/sweepers';
import { systemClock } from '@supplier/lib/time';
import { SubmissionStatusChangedSchema } from '@supplier/proto/submission/v1/events';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { readConfig } from './config.ts';
import type { ServiceContext } from './context.ts';
import { openDatabase } from './db/database.ts';
import { startDeliveryFor } from './delivery/index.ts';
import { addressPolicy } from './domain/address-policy.ts';
import { eventCounts } from './event-counts.ts';
import { onSubmissionStatusChanged } from './events/on-submission-status-changed.ts';
import { preflights } from './preflight/index.ts';
import { webhookRoutes } from './rpc/index.ts';
import { submissionClient } from './submission-client.ts';
import { SWEEPS } from './sweepers/index.ts';

/** Two sets of changes at once, and one connection to spare. */
const INTAKE_CONNECTIONS = 3;
/** One claim, two lanes of outcomes, one look for what is due or lost, and one reading of the queue. */
const DELIVERY_CONNECTIONS = 5;

runProcess('webhook', async (process) => {
  const config = readConfig();
  const pool = openPool(config, process);
  // Pools of their own: neither a burst of changes nor a backlog of deliveries keeps the others waiting.
  const intakePool = openPool({ ...config, databasePool: INTAKE_CONNECTIONS }, process);
  const deliveryPool = openPool({ ...config, databasePool: DELIVERY_CONNECTIONS }, process);
  const bus = connectBus(process, config.natsUrl);
  const ring = KeyRing.fromFile(config.keyRingFile);
  const policy = addressPolicy(config.allowedCidrs);
  const clock = systemClock;

  const relay = startRelay(process, { pool, bus, stream: STREAMS.webhook, settings: config.events });
  const delivery = startDeliveryFor(process, { pool: deliveryPool, ring, policy, extraCa: config.extraCa });
  const context: ServiceContext = {
    db: openDatabase(pool, relay.wake),
    pool,
    clock,
    ring,
    policy,
    ...submissionClient(config.submissionUrl, serviceTokens(config.serviceTokenDir)),
    wake: delivery.wake,
    retentionMs: config.retentionDays * 86_400_000,
    log: process.log,
    ...eventCounts(process.metrics),
    reconcileEveryMs: config.reconcileMinutes * 60_000,
    pausedDeliveryMs: config.pausedDeliveryHours * 3_600_000,
    preflight: preflights({ policy, extraCa: config.extraCa, clock }),
  };
  startSweepers(process, SWEEPS, context);
  startConsumer(process, {
    bus,
    stream: STREAMS.submission,
    consumer: 'webhook',
    subject: 'supplier.submission.SubmissionStatusChanged.*',
    pool: intakePool,
    events: [SubmissionStatusChangedSchema],
    once: 'own-key',
    apply: onSubmissionStatusChanged(context),
  });
  await startRpcServer(process, {
    config,
    services: [WebhookService],
    routes: webhookRoutes(context),
    ready: databaseReadiness(config, process, 'endpoint'),
  });
});
