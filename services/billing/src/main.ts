import { startAuditSealing } from '@supplier/lib/audit';
import { connectBus, STREAMS, SUBSCRIPTIONS, startConsumer } from '@supplier/lib/event-bus';
import { checkGrants } from '@supplier/lib/migrations';
import { startRelay } from '@supplier/lib/outbox';
import { databaseReadiness } from '@supplier/lib/postgres';
import { startRpcServer } from '@supplier/lib/rpc-server';
import { runProcess } from '@supplier/lib/service-runtime';
import { AuditService } from '@supplier/proto/audit/v1/audit';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { readConfig } from './config.ts';
import { createContext } from './context.ts';
import { applySubmissionEvents } from './events/apply-submission-events.ts';
import { SUBMISSION_EVENTS } from './events/read-lead-event.ts';
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
  await startRpcServer(process, {
    config,
    services: [BillingService, AuditService],
    routes: routes({ ...context, wakeRelay: relay.wake }),
    ready: databaseReadiness(config, process, 'lead'),
  });
});
