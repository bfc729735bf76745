import { connectBus, STREAMS } from '@supplier/lib/events/event-bus';
import { runProcess } from '@supplier/lib/runtime/service-runtime';
import { startSweepers } from '@supplier/lib/runtime/sweepers';
import { serve } from '@supplier/lib/service';
import { DocumentService } from '@supplier/proto/document/v1/document';
import { readConfig } from './config.ts';
import { type Context, createContext } from './context.ts';
import {
  expireUnfinalized,
  forgetAbandoned,
  removeObjects,
  retention,
  unacceptedRetention,
} from './erase/retention.ts';
import { requireEncryptionAtRest } from './object-store/index.ts';
import { compareStore } from './reconcile/compare-store.ts';
import { routes } from './routes.ts';

runProcess('document', async (process) => {
  const config = readConfig();
  if (!config.isLocal) await requireEncryptionAtRest(config.store);
  const context = await createContext(config, process);
  await serve(process, {
    config,
    folder: new URL('../', import.meta.url),
    bus: connectBus(process, config.nats),
    pool: context.pool,
    clock: context.clock,
    table: 'document',
    keyRing: context.keyRing,
    stream: STREAMS.document,
    start(relay) {
      context.wakes.connect({ relay: relay.wake });
      startSweepers<Context>(
        process,
        [expireUnfinalized, forgetAbandoned, retention, unacceptedRetention, removeObjects],
        context,
      );
    },
    compare: compareStore(context),
    // Keeps events that the scanner repeatedly fails to handle.
    keepsFailedEvents: true,
    services: [DocumentService],
    routes: routes(context),
  });
});
