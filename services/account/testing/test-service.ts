import { fromBinary } from '@bufbuild/protobuf';
import type { Client } from '@connectrpc/connect';
import { createRpcClient } from '@supplier/lib/rpc/rpc-client';
import {
  createTestDatabase,
  type TestDatabase as Migrated,
  startTestProcess,
  startTestRpcServer,
  type TestRpcServer,
} from '@supplier/lib/testing';
import { type Clock, systemClock } from '@supplier/lib/text/time';
import { AccountService } from '@supplier/proto/account/v1/account';
import { AccountChangedSchema, CredentialRevokedSchema } from '@supplier/proto/account/v1/events';
import { ApprovalService } from '@supplier/proto/approval/v1/approval';
import { EventEnvelopeSchema } from '@supplier/proto/common/v1/event';
import type { AccountConfig } from '../src/config.ts';
import { type Context, createContext } from '../src/context.ts';
import { routes } from '../src/routes.ts';
import { type Database, openDatabase } from '../src/store/database.ts';

/** A migrated database for one test file. */
export interface TestDatabase extends Migrated {
  readonly db: Database;
}

/** Creates a database with a random name on the TEST_POSTGRES_URL server; `close` drops it. */
export async function openTestDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase({ serviceDir: new URL('../', import.meta.url) });
  return { ...database, db: openDatabase(database.pool) };
}

/** The whole service with its own database. */
export interface TestService extends TestDatabase {
  readonly context: Context;
  /** RPC client for a caller with the given role. */
  as: TestRpcServer<typeof AccountService>['as'];
  approvals(subject: string): Client<typeof ApprovalService>;
  eventsOf(accountId: string): ReturnType<typeof eventsOf>;
  auditOf(accountId: string): ReturnType<Database['auditEntry']['findMany']>;
}

export async function openTestService(
  clock: Clock = systemClock,
  fourEyes: AccountConfig['fourEyes'] = 'off',
): Promise<TestService> {
  const database = await openTestDatabase();
  const { pool, db } = database;
  const process = startTestProcess('account');
  // Nothing else in the configuration is read.
  const config = { credentialPrefix: 'sss', fourEyes } as AccountConfig;
  const context = createContext(config, process, { pool, db, clock });
  const server = await startTestRpcServer('account', AccountService, routes(context), process);
  return {
    ...database,
    context,
    as: server.as,
    approvals: (subject) =>
      createRpcClient(ApprovalService, {
        baseUrl: server.baseUrl,
        audience: 'account',
        tokens: { tokenFor: () => server.tokenOf(subject, 'staff:admin') },
      }),
    eventsOf: (accountId) => eventsOf(db, accountId),
    auditOf: (accountId) => db.auditEntry.findMany({ where: { accountId }, orderBy: { sequence: 'asc' } }),
    async close() {
      await server.close();
      await database.close();
    },
  };
}

async function eventsOf(db: Database, accountId: string) {
  const rows = await db.domainEvent.findMany({
    where: { aggregateId: accountId },
    orderBy: { eventId: 'asc' },
  });
  return rows.map(({ envelope }) => {
    const { type, aggregateVersion, requestId, payload } = fromBinary(EventEnvelopeSchema, envelope);
    const schema = type === AccountChangedSchema.typeName ? AccountChangedSchema : CredentialRevokedSchema;
    return {
      type: type.split('.').at(-1),
      aggregateVersion,
      requestId,
      message: fromBinary(schema, payload),
    };
  });
}
