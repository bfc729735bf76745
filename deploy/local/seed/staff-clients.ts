import { readFileSync } from 'node:fs';
import { type Code, ConnectError, createClient, type Interceptor, type Transport } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { AccountService } from '@supplier/proto/account/v1/account';
import { PolicyService } from '@supplier/proto/submission/v1/policies';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import type { Certificates } from '../identity/make-certificates.ts';

const TIMEOUT_MS = 10_000;

/** The RPCs of staff, called as an administrator. */
export type StaffClients = ReturnType<typeof staffClients>;

/** Clients for the given base URLs (Connect over HTTP/1.1). `token` is read before each call; `files` are used for TLS. */
export function staffClients(
  urls: Readonly<Record<'account' | 'submission' | 'webhook', string>>,
  token: () => string,
  files?: Certificates,
) {
  const transport = (baseUrl: string) => staffTransport(baseUrl, token, files);
  return {
    account: createClient(AccountService, transport(urls.account)),
    submission: createClient(SubmissionService, transport(urls.submission)),
    policies: createClient(PolicyService, transport(urls.submission)),
    privacy: createClient(PrivacyService, transport(urls.submission)),
    webhook: createClient(WebhookService, transport(urls.webhook)),
  };
}

/** Opens a transport for `staffClients`. */
export function staffTransport(baseUrl: string, token: () => string, files?: Certificates): Transport {
  const nodeOptions = files && {
    ca: readFileSync(files.authority),
    cert: readFileSync(files.certificate),
    key: readFileSync(files.key),
  };
  const asStaff: Interceptor = (next) => (request) => {
    request.header.set('authorization', `Bearer ${token()}`);
    return next(request);
  };
  return createConnectTransport({
    baseUrl,
    httpVersion: '1.1',
    ...(nodeOptions ? { nodeOptions } : {}),
    interceptors: [asStaff],
    defaultTimeoutMs: TIMEOUT_MS,
  });
}

/** Whether an error has one of the codes. */
export function hasCode(error: unknown, ...codes: Code[]): boolean {
  return error instanceof ConnectError && codes.includes(error.code);
}
