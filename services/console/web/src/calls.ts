import {
  type DescMessage,
  type DescMethod,
  type DescMethodUnary,
  type DescService,
  getOption,
  type MessageInitShape,
  type MessageShape,
} from '@bufbuild/protobuf';
import { Code, ConnectError, createClient, type Interceptor, type Transport } from '@connectrpc/connect';
import { callUnaryMethod, createConnectQueryKey, createQueryOptions } from '@connectrpc/connect-query';
import { createConnectTransport } from '@connectrpc/connect-web';
import { STAFF_SERVICES, type StaffService, staffContracts } from '@supplier/lib/rpc/staff-contracts';
import { visible } from '@supplier/lib/text/visible';
import { AccountService } from '@supplier/proto/account/v1/account';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { access } from '@supplier/proto/common/v1/options';
import { RefusalSchema, type Violation } from '@supplier/proto/common/v1/refusal';
import { DocumentService } from '@supplier/proto/document/v1/document';
import { PolicyService } from '@supplier/proto/submission/v1/policies';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import type { QueryKey } from '@tanstack/react-query';
import { isActive } from './activity.ts';
import { capitalize, spaced, spacedWithin } from './format.ts';
import { person, rolesAre, useSession } from './session.ts';

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

const services = STAFF_SERVICES.map((name) => ({
  name,
  contracts: staffContracts[name],
  transport: createConnectTransport({
    baseUrl: `/rpc/${name}`,
    useBinaryFormat: true,
    defaultTimeoutMs: ANSWER_MS,
    interceptors: [asThisPerson],
  }),
}));

/** Returns the transport to the service that implements a contract, or to the named one if several do. */
function transportTo(contract: DescService, named?: StaffService): Transport {
  const [found, another] = services.filter(({ name, contracts }) =>
    named ? name === named : contracts.includes(contract),
  );
  if (!found || another) throw new Error(`name the service for ${contract.typeName}`);
  return found.transport;
}

/** Returns a client for a contract, through the console, as the logged-in person. */
export const clientOf = <Contract extends DescService>(contract: Contract, service?: StaffService) =>
  createClient(contract, transportTo(contract, service));

export const accounts = clientOf(AccountService);
export const submissions = clientOf(SubmissionService);
export const policies = clientOf(PolicyService);
export const people = clientOf(PrivacyService);
export const documents = clientOf(DocumentService);
export const billing = clientOf(BillingService);
export const webhooks = clientOf(WebhookService);

/** The services whose actions may need a second person's approval. */
export const APPROVING_SERVICES = ['account', 'submission'] as const satisfies readonly StaffService[];
export type ApprovingService = (typeof APPROVING_SERVICES)[number];

/** Returns the service whose approvals a method uses. */
export function approvingServiceOf({ parent, name }: DescMethod): ApprovingService {
  const found = APPROVING_SERVICES.find((service) => staffContracts[service].includes(parent));
  if (!found) throw new Error(`${name} takes no approval`);
  return found;
}

/** Makes a call of a contract that one service implements. */
export const callOf = async <I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
): Promise<MessageShape<O>> => callUnaryMethod(transportTo(method.parent), method, request);

/** Returns the options of a query that makes a call. Its key contains the request: no personal data. */
export const queryOf = <I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
  service?: StaffService,
) => createQueryOptions(method, request, { transport: transportTo(method.parent, service) });

/**
 * Returns the beginning of the key of a call's queries, which matches all of them or those with these parts of the
 * request. Queries of several calls use it as their own key, with what else they depend on.
 */
export const keyOf = <I extends DescMessage, O extends DescMessage>(
  schema: DescMethodUnary<I, O>,
  input?: MessageInitShape<I>,
  ...others: readonly unknown[]
): QueryKey => [...createConnectQueryKey({ schema, input, cardinality: undefined }), ...others];

export interface Page {
  readonly pageSize: number;
  readonly pageToken: string;
}

/** A list that a call returns in pages. */
export interface Pages<Answer> {
  /** Contains no personal data. */
  readonly queryKey: QueryKey;
  readonly ask: (page: Page, options: { readonly signal: AbortSignal }) => Promise<Answer>;
}

/** Returns the list of a call. Its key contains the request. */
export function pagesOf<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
  service?: StaffService,
): Pages<MessageShape<O>> {
  const transport = transportTo(method.parent, service);
  return {
    queryKey: createConnectQueryKey({ schema: method, input: request, transport, cardinality: 'infinite' }),
    ask: (page, options) => callUnaryMethod(transport, method, { ...request, ...page }, options),
  };
}

/** Loads at most `max` pages, and returns whether there are more. */
export async function firstPages<Answer extends { readonly nextPageToken: string }>(
  max: number,
  ask: (pageToken: string) => Promise<Answer>,
): Promise<{ readonly pages: readonly Answer[]; readonly hasMore: boolean }> {
  const pages: Answer[] = [];
  let pageToken = '';
  do {
    const page = await ask(pageToken);
    pages.push(page);
    pageToken = page.nextPageToken;
  } while (pageToken !== '' && pages.length < max);
  return { pages, hasMore: pageToken !== '' };
}

/**
 * Returns whether one of the roles may call a method according to its contract. Use it only to decide what to offer:
 * the service enforces it.
 */
export const mayCall = (roles: readonly string[], method: DescMethod): boolean =>
  getOption(method, access).roles.some((role) => roles.includes(role));

/** Returns whether the logged-in person may call a method. */
export function useMay(): (method: DescMethod) => boolean {
  const { roles } = useSession();
  return (method) => mayCall(roles, method);
}

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
