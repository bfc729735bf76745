import { startTestRpcServer, type TestRpcServer } from '@supplier/lib/testing';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import type { ServiceContext } from '../src/context.ts';
import { webhookRoutes } from '../src/rpc/index.ts';

export type TestServer = TestRpcServer<typeof WebhookService>;

/** Serves the RPCs of `context` on free ports. */
export function startTestServer(context: ServiceContext): Promise<TestServer> {
  return startTestRpcServer('webhook', WebhookService, webhookRoutes(context));
}
