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
import { capitalize, spaced, spacedWithin } from './format.ts';
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

/** The console returns the person's current roles with each response. */
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

/** Clients for the services, through the console, as the logged-in person. */
export const accounts = createClient(AccountService, account);
export const submissions = createClient(SubmissionService, submission);
export const policies = createClient(PolicyService, submission);
export const people = createClient(PrivacyService, submission);
export const documents = createClient(DocumentService, document);
export const billing = createClient(BillingService, billed);
export const webhooks = createClient(WebhookService, webhook);

/** Two-person approvals, by the service that performs the action. */
export const approvals = {
  account: createClient(ApprovalService, account),
  submission: createClient(ApprovalService, submission),
} as const;

export type ApprovingService = keyof typeof approvals;

/** Audit logs, by service. */
export const audits = {
  account: createClient(AuditService, account),
  submission: createClient(AuditService, submission),
  document: createClient(AuditService, document),
  billing: createClient(AuditService, billed),
  webhook: createClient(AuditService, webhook),
} as const;

/** Reconciliation, by the service that compares its own records. */
export const reconciliations = {
  account: createClient(ReconciliationService, account),
  submission: createClient(ReconciliationService, submission),
  document: createClient(ReconciliationService, document),
  billing: createClient(ReconciliationService, billed),
  webhook: createClient(ReconciliationService, webhook),
} as const;

/**
 * Returns whether one of the roles may call a method according to its contract. Use it only to decide what to offer:
 * the service enforces it.
 */
export const mayCall = (roles: readonly string[], method: DescMethod): boolean =>
  getOption(method, access).roles.some((role) => roles.includes(role));

export const codeOf = (error: unknown): Code => ConnectError.from(error).code;
export const isNotFound = (error: unknown): boolean => codeOf(error) === Code.NotFound;
export const isForbidden = (error: unknown): boolean => codeOf(error) === Code.PermissionDenied;
export const isLoggedOut = (error: unknown): boolean => codeOf(error) === Code.Unauthenticated;
/** Returns the id of the failed request, which operators find in the logs. */
export const requestIdOf = (error: unknown): string | undefined =>
  ConnectError.from(error).metadata.get('x-request-id') ?? undefined;
/** What browsers report when a request gets no response. */
const UNREACHABLE = /^(?:Failed to fetch|NetworkError|Load failed)/;

/** Returns the service's error message, with the invalid fields of the request. */
export function errorMessage(error: unknown): string {
  const refusal = ConnectError.from(error);
  if (UNREACHABLE.test(refusal.rawMessage))
    return 'The console did not respond. Check your connection, then try again.';
  const violations = refusal.findDetails(RefusalSchema).flatMap((detail) => detail.violations);
  return withViolations(refusal.rawMessage, violations);
}

/** Returns the violations of a refused request, by the path of their field. */
export const violationsOf = (error: unknown): ReadonlyMap<string, string> =>
  new Map(
    ConnectError.from(error)
      .findDetails(RefusalSchema)
      .flatMap(({ violations }) =>
        violations.map(({ path, message }) => [path, asSentence(visible(message))] as const),
      ),
  );

/** Returns a violation as a sentence: "Must not be below minimum funding amount." */
export const asSentence = (message: string): string =>
  `${capitalize(spacedWithin(message)).replace(/\.$/, '')}.`;

/** Returns the name of a field by its path, in words: "minimum funding amount". */
const nameOf = (path: string): string =>
  spaced(
    path
      .split('.')
      .filter((part) => !/^\d+$/.test(part))
      .at(-1) ?? path,
  );

/** Returns a service's message with the invalid fields, safe to display. */
export function withViolations(message: string, violations: readonly Violation[]): string {
  const faults = violations.map((fault) => asSentence(visible(`${nameOf(fault.path)} ${fault.message}`)));
  return [visible(message), ...faults].join(' ');
}
