import { connectBus, STREAMS } from '@supplier/lib/event-bus';
import { checkGrants } from '@supplier/lib/migrations';
import { startRelay } from '@supplier/lib/outbox';
import { databaseReadiness } from '@supplier/lib/postgres';
import { startRpcServer } from '@supplier/lib/rpc-server';
import { runProcess } from '@supplier/lib/service-runtime';
import { startSweepers } from '@supplier/lib/sweepers';
import { DocumentService } from '@supplier/proto/document/v1/document';
import { readConfig } from './config.ts';
import { createContext } from './context.ts';
import { routes } from './rpc/index.ts';
import { expireUnfinalized } from './sweepers/expire-unfinalized.ts';
import { removeObjects } from './sweepers/remove-objects.ts';
import { retention } from './sweepers/retention.ts';

runProcess('document', async (process) => {
  const config = readConfig();
  process.log.level = config.logLevel;
  const context = await createContext(config, process);
  const { pool, wakes } = context;
  checkGrants(process, pool, new URL('../', import.meta.url));
  const bus = connectBus(process, config.nats);
  const relay = startRelay(process, { pool, bus, stream: STREAMS.document, settings: config.events });
  wakes.connect({ relay: relay.wake });

  startSweepers(process, [expireUnfinalized, retention, removeObjects], context);
  await startRpcServer(process, {
    config,
    services: [DocumentService],
    routes: routes(context),
    ready: databaseReadiness(config, process, 'document'),
  });
});
