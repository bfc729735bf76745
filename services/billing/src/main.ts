import { connectBus, STREAMS, startConsumer } from '@supplier/lib/event-bus';
import { startRelay } from '@supplier/lib/outbox';
import { openPool } from '@supplier/lib/postgres';
import { startRpcServer } from '@supplier/lib/rpc-server';
import { runProcess } from '@supplier/lib/service-runtime';
import { systemClock } from '@supplier/lib/time';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { readConfig } from './config.ts';
import type { ServiceContext } from './context.ts';
import { databaseAnswers, inTransaction, openDatabase } from './db/database.ts';
import { submissionEvents } from './events/index.ts';
import { billingRoutes } from './rpc/index.ts';

runProcess('billing', async (process) => {
  const config = readConfig();
  process.log.level = config.logLevel;
  const pool = openPool(config, process);
  const bus = connectBus(process, config.natsUrl);
  const relay = startRelay(process, { pool, bus, stream: STREAMS.billing, settings: config.events });
  const context: ServiceContext = { db: openDatabase(pool, relay.wake), clock: systemClock };

  startConsumer(process, {
    bus,
    consumer: 'billing',
    stream: STREAMS.submission,
    handlers: submissionEvents(context),
    transaction: (work) => inTransaction(context.db, work),
  });
  await startRpcServer(process, {
    config,
    services: [BillingService],
    routes: billingRoutes(context),
    ready: () => databaseAnswers(context.db),
  });
});
