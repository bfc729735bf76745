import { type DescMethod, getOption } from '@bufbuild/protobuf';
import { Code, ConnectError, createClient, type Interceptor } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-web';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { access } from '@supplier/proto/common/v1/options';
import { DocumentService } from '@supplier/proto/document/v1/document';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { person } from './session.ts';

/** Longer than the console waits for a service. */
const ANSWER_MS = 15_000;

const asThisPerson: Interceptor = (next) => (request) => {
  request.header.set('console-person', person());
  return next(request);
};

const to = (target: string) =>
  createConnectTransport({
    baseUrl: `/rpc/${target}`,
    useBinaryFormat: true,
    defaultTimeoutMs: ANSWER_MS,
    interceptors: [asThisPerson],
  });

/** The services, by way of the console, as whoever is logged in. */
export const submissions = createClient(SubmissionService, to('submission'));
export const billing = createClient(BillingService, to('billing'));
export const documents = createClient(DocumentService, to('document'));
export const webhooks = createClient(WebhookService, to('webhook'));

/** Whether one of the roles may call a method, as its contract says. The service decides; this is for what to offer. */
export const mayCall = (roles: readonly string[], method: DescMethod): boolean =>
  getOption(method, access).roles.some((role) => roles.includes(role));

export const codeOf = (error: unknown): Code => ConnectError.from(error).code;
export const isNotFound = (error: unknown): boolean => codeOf(error) === Code.NotFound;
export const isLoggedOut = (error: unknown): boolean => codeOf(error) === Code.Unauthenticated;
/** The refusal's own sentence. */
export const sentenceOf = (error: unknown): string => ConnectError.from(error).rawMessage;
