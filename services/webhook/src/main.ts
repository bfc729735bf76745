import { KeyRing } from '@supplier/lib/crypto';
import { connectBus, STREAMS, startConsumer } from '@supplier/lib/event-bus';
import { startRelay } from '@supplier/lib/outbox';
import { openPool } from '@supplier/lib/postgres';
import { serviceTokens } from '@supplier/lib/rpc-client';
import { startRpcServer } from '@supplier/lib/rpc-server';
import { runProcess } from '@supplier/lib/service-runtime';
import { startSweepers } from '@supplier/lib/sweepers';
import { systemClock } from '@supplier/lib/time';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { readConfig } from './config.ts';
import type { ServiceContext } from './context.ts';
import { databaseAnswers, inTransaction, openDatabase } from './db/database.ts';
import { startDeliveryFor } from './delivery/index.ts';
import { addressPolicy } from './domain/address-policy.ts';
import { eventCounts } from './event-counts.ts';
import { submissionEvents } from './events/index.ts';
import { preflights } from './preflight/index.ts';
import { webhookRoutes } from './rpc/index.ts';
import { submissionClient } from './submission-client.ts';
import { SWEEPS } from './sweepers/index.ts';

runProcess('webhook', async (process) => {
  const config = readConfig();
  const pool = openPool(config, process);
  const bus = connectBus(process, config.natsUrl);
  const ring = KeyRing.fromFile(config.keyRingFile);
  const policy = addressPolicy(config.allowedCidrs);
  const clock = systemClock;

  const relay = startRelay(process, { pool, bus, stream: STREAMS.webhook, settings: config.events });
  const delivery = startDeliveryFor(process, { pool, ring, clock, policy, extraCa: config.extraCa });
  const context: ServiceContext = {
    db: openDatabase(pool, relay.wake),
    clock,
    ring,
    policy,
    ...submissionClient(config.submissionUrl, serviceTokens(config.serviceTokenDir)),
    wake: delivery.wake,
    retentionMs: config.retentionDays * 86_400_000,
    log: process.log,
    ...eventCounts(process.metrics),
    pausedDeliveryMs: config.pausedDeliveryHours * 3_600_000,
    preflight: preflights({ policy, extraCa: config.extraCa, clock }),
  };
  startSweepers(process, SWEEPS, context);
  startConsumer(process, {
    bus,
    consumer: 'webhook',
    stream: STREAMS.submission,
    handlers: submissionEvents(context),
    transaction: (work) => inTransaction(context.db, work),
  });
  await startRpcServer(process, {
    config,
    services: [WebhookService],
    routes: webhookRoutes(context),
    ready: () => databaseAnswers(context.db),
  });
});
