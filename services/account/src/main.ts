import { connectBus, STREAMS } from '@supplier/lib/event-bus';
import { startRelay } from '@supplier/lib/outbox';
import { databaseReadiness, openPool } from '@supplier/lib/postgres';
import { startRpcServer } from '@supplier/lib/rpc-server';
import { runProcess } from '@supplier/lib/service-runtime';
import { systemClock } from '@supplier/lib/time';
import { AccountService } from '@supplier/proto/account/v1/account';
import { readConfig } from './config.ts';
import type { ServiceContext } from './context.ts';
import { openDatabase } from './db/database.ts';
import { accountRoutes } from './rpc/index.ts';

runProcess('account', async (process) => {
  const config = readConfig();
  process.log.level = config.logLevel;
  const { credentialPrefix } = config;
  const pool = openPool(config, process);
  const bus = connectBus(process, config.natsUrl);
  const relay = startRelay(process, { pool, bus, stream: STREAMS.account, settings: config.events });
  const db = openDatabase(pool, relay.wake);
  const context: ServiceContext = { db, clock: systemClock, credentialPrefix };

  await startRpcServer(process, {
    config,
    services: [AccountService],
    routes: accountRoutes(context),
    ready: databaseReadiness(config, process, 'account'),
  });
});
