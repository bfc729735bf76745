import { KeyRing } from '@supplier/lib/crypto';
import { connectBus, STREAMS, startConsumer } from '@supplier/lib/event-bus';
import { startRelay } from '@supplier/lib/outbox';
import { openPool } from '@supplier/lib/postgres';
import { serviceTokens } from '@supplier/lib/rpc-client';
import { startRpcServer } from '@supplier/lib/rpc-server';
import { runProcess } from '@supplier/lib/service-runtime';
import { systemClock } from '@supplier/lib/time';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { readConfig } from './config.ts';
import type { ServiceContext } from './context.ts';
import { databaseAnswers, inTransaction, openDatabase } from './db/database.ts';
import { startDeliveryFor } from './delivery/index.ts';
import { addressPolicy } from './domain/address-policy.ts';
import { askForHandoff } from './events/ask-for-handoff.ts';
import { submissionEvents } from './events/index.ts';
import { webhookRoutes } from './rpc/index.ts';

runProcess('webhook', async (process) => {
  const config = readConfig();
  const pool = openPool(config, process);
  const bus = connectBus(process, config.natsUrl);
  const ring = KeyRing.fromFile(config.keyRingFile);
  const policy = addressPolicy(config.allowedCidrs);
  const clock = systemClock;

  const delivery = startDeliveryFor(process, { pool, ring, clock, policy, extraCa: config.extraCa });
  const context: ServiceContext = {
    db: openDatabase(pool),
    clock,
    ring,
    policy,
    handoffOf: askForHandoff(config.submissionUrl, serviceTokens(config.serviceTokenDir)),
    wake: delivery.wake,
  };
  startRelay(process, { pool, databaseUrl: config.databaseUrl, bus, stream: STREAMS.webhook });
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
