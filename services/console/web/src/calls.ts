import { type DescMethod, getOption } from '@bufbuild/protobuf';
import { Code, ConnectError, createClient, type Interceptor } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-web';
import { visible } from '@supplier/lib/text/visible';
import { AccountService } from '@supplier/proto/account/v1/account';
import { ApprovalService } from '@supplier/proto/approval/v1/approval';
import { AuditService } from '@supplier/proto/audit/v1/audit';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { access } from '@supplier/proto/common/v1/options';
import { RefusalSchema, type Violation } from '@supplier/proto/common/v1/refusal';
import { DocumentService } from '@supplier/proto/document/v1/document';
import { ReconciliationService } from '@supplier/proto/reconciliation/v1/reconciliation';
import { PolicyService } from '@supplier/proto/submission/v1/policies';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { isActive } from './activity.ts';
import { person, rolesAre } from './session.ts';

/** Longer than the console waits for a service. */
const ANSWER_MS = 15_000;

const asThisPerson: Interceptor = (next) => async (request) => {
  request.header.set('console-person', person());
  if (isActive()) request.header.set('console-active', '1');
  try {
    const answer = await next(request);
    noteRoles(answer.header);
    return answer;
  } catch (error) {
    noteRoles(ConnectError.from(error).metadata);
    throw error;
  }
};

/** The console says with each answer what its reader may do by now. */
const noteRoles = (header: Headers) => {
  const roles = header.get('console-roles');
  if (roles !== null) rolesAre(roles.split(','));
};

const to = (target: string) =>
  createConnectTransport({
    baseUrl: `/rpc/${target}`,
    useBinaryFormat: true,
    defaultTimeoutMs: ANSWER_MS,
    interceptors: [asThisPerson],
  });

const account = to('account');
const submission = to('submission');
const document = to('document');
const billed = to('billing');
const webhook = to('webhook');

/** The services, by way of the console, as whoever is logged in. */
export const accounts = createClient(AccountService, account);
export const submissions = createClient(SubmissionService, submission);
export const policies = createClient(PolicyService, submission);
export const people = createClient(PrivacyService, submission);
export const documents = createClient(DocumentService, document);
export const billing = createClient(BillingService, billed);
export const webhooks = createClient(WebhookService, webhook);

/** What two people decide together, by the service that does it. */
export const approvals = {
  account: createClient(ApprovalService, account),
  submission: createClient(ApprovalService, submission),
} as const;

/** Who did what, by the service that did it. */
export const audits = {
  account: createClient(AuditService, account),
  submission: createClient(AuditService, submission),
  document: createClient(AuditService, document),
  billing: createClient(AuditService, billed),
  webhook: createClient(AuditService, webhook),
} as const;

/** Whether records agree, by the service that compares its own. */
export const reconciliations = {
  account: createClient(ReconciliationService, account),
  submission: createClient(ReconciliationService, submission),
  document: createClient(ReconciliationService, document),
  billing: createClient(ReconciliationService, billed),
  webhook: createClient(ReconciliationService, webhook),
} as const;

/** Whether one of the roles may call a method, as its contract says. The service decides; this is for what to offer. */
export const mayCall = (roles: readonly string[], method: DescMethod): boolean =>
  getOption(method, access).roles.some((role) => roles.includes(role));

export const codeOf = (error: unknown): Code => ConnectError.from(error).code;
export const isNotFound = (error: unknown): boolean => codeOf(error) === Code.NotFound;
export const isLoggedOut = (error: unknown): boolean => codeOf(error) === Code.Unauthenticated;
/** The refusal's own sentence, and what is wrong with which field of the request. */
export function sentenceOf(error: unknown): string {
  const refusal = ConnectError.from(error);
  const violations = refusal.findDetails(RefusalSchema).flatMap((detail) => detail.violations);
  return withFaults(refusal.rawMessage, violations);
}

/** A sentence of a service with what is wrong with which field, fit to be seen. */
export function withFaults(message: string, violations: readonly Violation[]): string {
  const faults = violations.map((fault) => `${fault.path} ${fault.message}`);
  return visible(faults.length > 0 ? `${message} ${faults.join('; ')}` : message);
}
