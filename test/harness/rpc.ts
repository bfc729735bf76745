import type { DescService } from '@bufbuild/protobuf';
import { type Client, ConnectError, createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { AccountService } from '@supplier/proto/account/v1/account';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { type RefusalCode, RefusalSchema } from '@supplier/proto/common/v1/refusal';
import { DocumentService } from '@supplier/proto/document/v1/document';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { Agent, type Dispatcher, request } from 'undici';
import { readStack, type ServiceName, tlsOfCaller } from './stack.ts';

const DEADLINE_MS = 20_000;

/** Returns a client of one service over HTTP/1.1 that calls with `token`, by default as a staff administrator. */
export function rpcClient<T extends DescService>(
  name: ServiceName,
  service: T,
  token: string | undefined = readStack().staffToken,
): Client<T> {
  return createClient(
    service,
    createConnectTransport({
      baseUrl: readStack().rpcHttp1[name],
      httpVersion: '1.1',
      nodeOptions: tlsOfCaller() ?? {},
      useBinaryFormat: true,
      defaultTimeoutMs: DEADLINE_MS,
      interceptors: [
        (next) => (request) => {
          if (token !== undefined) request.header.set('authorization', `Bearer ${token}`);
          return next(request);
        },
      ],
    }),
  );
}

const agents = new Map<string, Agent>();

/** Sends one HTTP request to a service's RPC port, for requests that no RPC client would send. */
export function requestToService(
  name: ServiceName,
  path: string,
  options: Pick<Dispatcher.RequestOptions, 'headers' | 'body'> & { readonly method?: 'GET' | 'POST' } = {},
): Promise<Dispatcher.ResponseData> {
  const origin = readStack().rpcHttp1[name];
  const dispatcher = agents.get(origin) ?? new Agent({ connect: tlsOfCaller() ?? {} });
  agents.set(origin, dispatcher);
  return request(`${origin}${path}`, { ...options, dispatcher });
}

/** Staff clients of the services that staff may call. */
export const staff = {
  account: () => rpcClient('account', AccountService),
  submission: () => rpcClient('submission', SubmissionService),
  privacy: () => rpcClient('submission', PrivacyService),
  document: () => rpcClient('document', DocumentService),
  billing: () => rpcClient('billing', BillingService),
  webhook: () => rpcClient('webhook', WebhookService),
};

/** Returns the error of a failing call; throws if the call succeeds or fails in another way. */
export async function rpcErrorOf(call: Promise<unknown>): Promise<ConnectError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof ConnectError) return error;
    throw error;
  }
  throw new Error('the call was expected to fail, and did not');
}

/** Returns the refusal code attached to an error. */
export const refusalCodeOf = (error: ConnectError): RefusalCode | undefined =>
  error.findDetails(RefusalSchema)[0]?.code;
