import { KeyRing } from '@supplier/lib/crypto';
import { connectBus, STREAMS } from '@supplier/lib/event-bus';
import { startRelay } from '@supplier/lib/outbox';
import { databaseReadiness, openPool } from '@supplier/lib/postgres';
import { serviceTokens } from '@supplier/lib/rpc-client';
import { startRpcServer } from '@supplier/lib/rpc-server';
import { runProcess } from '@supplier/lib/service-runtime';
import { startSweepers } from '@supplier/lib/sweepers';
import { systemClock } from '@supplier/lib/time';
import { DocumentService } from '@supplier/proto/document/v1/document';
import { readConfig } from './config.ts';
import type { ServiceContext } from './context.ts';
import { openDatabase } from './db/database.ts';
import { startObjectStore } from './object-store/index.ts';
import { askForSubmission, submissionClient } from './rpc/ask-for-submission.ts';
import { documentRoutes } from './rpc/index.ts';
import { SWEEPS } from './sweepers/index.ts';

runProcess('document', async (process) => {
  const config = readConfig();
  process.log.level = config.logLevel;
  const pool = openPool(config, process);
  const ring = KeyRing.fromFile(config.keyRingFile);
  const store = await startObjectStore(process, {
    store: config.store,
    uploads: config.uploadListener,
    ring,
  });
  const submissions = submissionClient(config.submissionUrl, serviceTokens(config.serviceTokenDir));
  const bus = connectBus(process, config.natsUrl);
  const relay = startRelay(process, { pool, bus, stream: STREAMS.document, settings: config.events });
  const context: ServiceContext = {
    pool,
    db: openDatabase(pool, relay.wake),
    clock: systemClock,
    ring,
    store,
    limits: config.limits,
    findSubmission: askForSubmission(submissions),
  };

  startSweepers(process, SWEEPS, context);
  await startRpcServer(process, {
    config,
    services: [DocumentService],
    routes: documentRoutes(context),
    ready: databaseReadiness(config, process, 'document'),
  });
});
