import { startTestRpcServer, type TestRpcServer } from '@supplier/lib/testing';
import { AccountService } from '@supplier/proto/account/v1/account';
import type { ServiceContext } from '../src/context.ts';
import { accountRoutes } from '../src/rpc/index.ts';

export type TestServer = TestRpcServer<typeof AccountService>;

/** Serves the RPCs of `context` on free ports. */
export function startTestServer(context: ServiceContext): Promise<TestServer> {
  return startTestRpcServer('account', AccountService, accountRoutes(context));
}
