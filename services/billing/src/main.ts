import { connectBus, eventVerifier, SUBSCRIPTIONS } from '@supplier/lib/events/event-bus';
import { forgetOldCalls } from '@supplier/lib/rpc/idempotency';
import { runProcess } from '@supplier/lib/runtime/service-runtime';
import { startSweepers } from '@supplier/lib/runtime/sweepers';
import { serve } from '@supplier/lib/service';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { readConfig } from './config.ts';
import { type Context, createContext } from './context.ts';
import { foldValue } from './figures/billable-value.ts';
import { applySubmissionEvents, SUBMISSION_EVENTS } from './ledger/apply-submission-events.ts';
import { compareLedger } from './reconcile/compare-ledger.ts';
import { routes } from './routes.ts';

runProcess('billing', async (process) => {
  const config = readConfig();
  const context = createContext(config, process);
  await serve(process, {
    config,
    folder: new URL('../', import.meta.url),
    bus: connectBus(process, config.nats),
    pool: context.pool,
    clock: context.clock,
    table: 'ledger_entry',
    start() {
      startSweepers<Context>(process, [foldValue, forgetOldCalls], context);
    },
    consumes: {
      ...SUBSCRIPTIONS.billing,
      isAuthentic: eventVerifier(config.eventKeysDir, 'billing'),
      events: SUBMISSION_EVENTS,
      apply: applySubmissionEvents,
    },
    compare: compareLedger(context),
    services: [BillingService],
    routes: routes(context),
  });
});
