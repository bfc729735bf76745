import { connectBus, STREAMS, startConsumer } from '@supplier/lib/event-bus';
import { startRelay } from '@supplier/lib/outbox';
import { startRpcServer } from '@supplier/lib/rpc-server';
import { runProcess } from '@supplier/lib/service-runtime';
import { startSweepers } from '@supplier/lib/sweepers';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { readConfig } from './config.ts';
import { createContext } from './context.ts';
import { billingHandlers, ownHandlers } from './events/index.ts';
import { routes } from './rpc/index.ts';
import { SWEEPS } from './sweepers/index.ts';

runProcess('submission', async (service) => {
  const config = readConfig();
  service.log.level = config.logLevel;
  const context = createContext(config, service);
  const bus = connectBus(service, config.natsUrl);
  const { pool } = context;
  const transaction = context.db.$transaction.bind(context.db);

  startRelay(service, { pool, bus, stream: STREAMS.submission, settings: config.events });
  const consumer = { bus, consumer: 'submission', transaction };
  startConsumer(service, { ...consumer, stream: STREAMS.submission, handlers: ownHandlers(context) });
  startConsumer(service, { ...consumer, stream: STREAMS.billing, handlers: billingHandlers(context) });
  startSweepers(service, SWEEPS, context);
  await startRpcServer(service, {
    config,
    services: [SubmissionService],
    routes: routes(context),
    ready: () => pool.query('SELECT 1'),
  });
});
