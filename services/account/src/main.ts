import { connectBus, STREAMS } from '@supplier/lib/events/event-bus';
import { forgetOldCalls } from '@supplier/lib/rpc/idempotency';
import { runProcess } from '@supplier/lib/runtime/service-runtime';
import { startSweepers } from '@supplier/lib/runtime/sweepers';
import { serve } from '@supplier/lib/service';
import { AccountService } from '@supplier/proto/account/v1/account';
import { ApprovalService } from '@supplier/proto/approval/v1/approval';
import { readConfig } from './config.ts';
import { createContext } from './context.ts';
import { routes } from './routes.ts';
import { takeOverDueTerms } from './terms/index.ts';

runProcess('account', async (process) => {
  const config = readConfig();
  const context = createContext(config, process);
  await serve(process, {
    config,
    folder: new URL('../', import.meta.url),
    bus: connectBus(process, config.nats),
    pool: context.pool,
    clock: context.clock,
    table: 'account',
    stream: STREAMS.account,
    start(relay) {
      context.wakes.connect({ relay: relay.wake });
      startSweepers(process, [takeOverDueTerms, forgetOldCalls], context);
    },
    services: [AccountService, ApprovalService],
    routes: routes(context),
  });
});
