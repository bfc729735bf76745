import type { DescService } from '@bufbuild/protobuf';
import { connectBus } from '@supplier/lib/events/event-bus';
import {
  boundCalls,
  createRpcClient,
  type RpcAccess,
  type RpcClientOptions,
  rpcAccess,
} from '@supplier/lib/rpc/rpc-client';
import type { Logger } from '@supplier/lib/runtime/log';
import type { ServiceProcess } from '@supplier/lib/runtime/service-runtime';
import { type Clock, systemClock } from '@supplier/lib/text/time';
import { AccountService } from '@supplier/proto/account/v1/account';
import { DocumentService } from '@supplier/proto/document/v1/document';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { CredentialCache, lookUpCredential } from './authentication/credential-cache.ts';
import { followAccounts } from './authentication/follow-accounts.ts';
import type { GatewayConfig } from './config.ts';
import type { CheckLimit } from './limits/limit.ts';
import { openLimits } from './limits/open-limits.ts';
import { measureCalls } from './measure-calls.ts';
import { type GatewayMetrics, gatewayMetrics } from './metrics.ts';
import {
  BATCHED_METHODS,
  CALLS_MS,
  type DocumentCalls,
  LOOKUP_MS,
  PAGE_CALLS,
  type SubmissionCalls,
} from './service-calls.ts';

/** Dependencies of the gateway's routes and plugins, built once. */
export interface Context {
  readonly config: GatewayConfig;
  readonly log: Logger;
  readonly clock: Clock;
  readonly submission: SubmissionCalls;
  /** Uses separate connections, with few concurrent calls. */
  readonly submissionForPages: SubmissionCalls;
  readonly document: DocumentCalls;
  readonly credentials: Pick<CredentialCache, 'find' | 'knows' | 'dummyLookup'>;
  readonly checkLimit: CheckLimit;
  readonly metrics: GatewayMetrics;
}

/** Builds the real dependencies without waiting for any: the gateway starts and responds while they are unavailable. */
export function createContext(
  config: GatewayConfig,
  process: ServiceProcess,
  overrides: Partial<Context> = {},
): Context {
  const access = rpcAccess(config, process.log);
  const metrics = gatewayMetrics(process.metrics);
  const client = <Service extends DescService>(
    service: Service,
    { interceptors = [], ...options }: Omit<RpcClientOptions<Service>, keyof RpcAccess>,
  ) => {
    const measured = measureCalls(service, metrics);
    return createRpcClient(service, { ...options, ...access, interceptors: [...interceptors, measured] });
  };

  const account = client(AccountService, {
    baseUrl: config.accountUrl,
    audience: 'account',
    timeoutMs: LOOKUP_MS,
  });
  const toSubmission = { baseUrl: config.submissionUrl, audience: 'submission', timeoutMs: CALLS_MS };
  const submission = client(SubmissionService, { ...toSubmission, together: BATCHED_METHODS });
  const pageBounds = { interceptors: [boundCalls(PAGE_CALLS)] };
  const submissionForPages = client(SubmissionService, { ...toSubmission, ...pageBounds });
  const document = client(DocumentService, {
    baseUrl: config.documentUrl,
    audience: 'document',
    timeoutMs: CALLS_MS,
  });
  const credentials = new CredentialCache(lookUpCredential(account));
  followAccounts(connectBus(process, config.nats), credentials, process.log);
  const checkLimit = openLimits(process, config.limitsDatabaseUrl, metrics);
  return {
    config,
    log: process.log,
    clock: systemClock,
    submission,
    submissionForPages,
    document,
    credentials,
    checkLimit,
    metrics,
    ...overrides,
  };
}
