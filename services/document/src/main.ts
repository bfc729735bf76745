import { connectBus, STREAMS } from '@supplier/lib/event-bus';
import { startRelay } from '@supplier/lib/outbox';
import { openPool } from '@supplier/lib/postgres';
import { startRpcServer } from '@supplier/lib/rpc-server';
import { runProcess } from '@supplier/lib/service-runtime';
import { DocumentService } from '@supplier/proto/document/v1/document';
import { readConfig } from './config.ts';
import type { ServiceContext } from './context.ts';
import { databaseAnswers, openDatabase } from './db/database.ts';
import { documentRoutes } from './rpc/index.ts';

runProcess('document', async (process) => {
  const config = readConfig();
  process.log.level = config.logLevel;
  const { databaseUrl, natsUrl } = config;
  const pool = openPool(config, process);
  const context: ServiceContext = { db: openDatabase(pool) };

  startRelay(process, { pool, databaseUrl, bus: connectBus(process, natsUrl), stream: STREAMS.document });
  await startRpcServer(process, {
    config,
    services: [DocumentService],
    routes: documentRoutes(),
    ready: () => databaseAnswers(context.db),
  });
});
