import type { MessageInitShape } from '@bufbuild/protobuf';
import { auditCall } from '@supplier/lib/governance/audit';
import { requestedPage } from '@supplier/lib/rpc/page-token';
import { invalid, RefusalCode, refuse, requestedId } from '@supplier/lib/rpc/refusal';
import type { RpcCall } from '@supplier/lib/rpc/rpc-server';
import { type AccountId, type EndpointId, newId, parseId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { Environment } from '@supplier/proto/common/v1/status';
import { ListEndpointsRequestSchema } from '@supplier/proto/webhook/v1/list_endpoints';
import type { EndpointSchema } from '@supplier/proto/webhook/v1/webhook';
import type { Context, Rpcs } from '../context.ts';
import { checkEndpointUrl } from '../model/endpoint-url.ts';
import { environmentOf } from '../model/event.ts';
import { fingerprintOf, newSigningSecret } from '../model/signing.ts';
import { noEndpoint, requestedEnvironment } from '../requests.ts';
import { inTransaction, type Transaction } from '../store/database.ts';
import {
  closeActivity,
  type EndpointRecord,
  findEndpoint,
  insertEndpoint,
  openActivity,
  updateEndpoint,
} from '../store/endpoints.ts';
import { lockActivity } from '../store/locks.sql.ts';
import { secretAad } from '../store/sealed-values.ts';
import { listEndpoints as listMatching } from './list-endpoints.sql.ts';
import { expirePausedOf } from './paused-deliveries.sql.ts';

/**
 * Creates the only endpoint of an account and environment, immediately active. Its secret is returned in this response
 * and stored sealed in the database; a call repeated with the same idempotency key is answered without it. Throws
 * VALIDATION_ERROR for a URL to which events may not be sent, NOT_FOUND for an unknown account, SERVICE_UNAVAILABLE
 * while the account service is unavailable, ALREADY_EXISTS for a second endpoint. Implements docs/contract.md, section
 * 7.
 */
export function createEndpoint(context: Context): Rpcs['createEndpoint'] {
  const { clock, keyRing, policy, accountExists, idempotent } = context;
  return idempotent.once(async (request, call, act) => {
    const accountId = requestedId<AccountId>('account_id', request.accountId);
    const environment = requestedEnvironment(request.environment);
    const check = checkEndpointUrl(request.url, policy);
    if (!check.ok) throw invalid('url', check.message);

    if (!(await accountExists(accountId))) throw unknownAccount();
    const endpointId = newId<EndpointId>();
    const signingSecret = newSigningSecret();
    const keyFingerprint = fingerprintOf(signingSecret);
    const sealedSecret = keyRing.seal(Buffer.from(signingSecret), secretAad(endpointId));

    const { endpoint } = await act(async (tx) => {
      await lockActivity(tx, accountId, environment);
      if (await findEndpoint(tx, accountId, environment)) throw secondEndpoint();
      const now = clock.now();
      await auditCall(tx, call, {
        at: now,
        target: endpointId,
        accountId,
        after: { endpointId, environment, url: check.url, keyFingerprint },
      });
      const created = { endpointId, accountId, environment, url: check.url, sealedSecret, keyFingerprint };
      const inserted = await insertEndpoint(tx, { ...created, createdAt: now });
      return { endpoint: endpointMessage(inserted), secretAlreadyShown: true };
    });
    return { endpoint, signingSecret };
  });
}

function unknownAccount() {
  return refuse(RefusalCode.NOT_FOUND, 'There is no such account.');
}

function secondEndpoint() {
  return refuse(RefusalCode.ALREADY_EXISTS, 'The account already has an endpoint in this environment.');
}

/** Returns the endpoint of an account and environment, without its secret. Throws NOT_FOUND when there is none. */
export function getEndpoint({ db }: Context): Rpcs['getEndpoint'] {
  return async (request) => {
    const accountId = requestedId<AccountId>('account_id', request.accountId);
    const endpoint = await findEndpoint(db, accountId, requestedEnvironment(request.environment));
    if (!endpoint) throw noEndpoint();
    return endpointMessage(endpoint);
  };
}

/**
 * Lists endpoints, latest created first, page by page, with the number of events waiting for each. VALIDATION_ERROR for
 * a page token of another query. Implements docs/contract.md, section 11.
 */
export function listEndpoints(context: Pick<Context, 'db' | 'pool'>): Rpcs['listEndpoints'] {
  return async (request) => {
    const page = requestedPage(ListEndpointsRequestSchema, request, parseId<EndpointId>);
    const { accountId, environment, failing, disabled } = request;
    const filter = {
      accountId: accountId === undefined ? undefined : requestedId<AccountId>('account_id', accountId),
      environment: environment === Environment.UNSPECIFIED ? undefined : requestedEnvironment(environment),
      failing,
      disabled,
    };
    const { endpoints, next } = await listMatching(context, filter, page.after, page.size);
    return {
      endpoints: endpoints.map(({ endpoint, waiting, oldestWaitingSince }) => ({
        endpoint: endpointMessage(endpoint),
        waiting,
        ...(oldestWaitingSince ? { oldestWaitingSince: toTimestamp(oldestWaitingSince) } : {}),
      })),
      nextPageToken: page.tokenAfter(next),
    };
  };
}

/**
 * Sends events to another URL from the next attempt, including retries of earlier events. Does nothing if the URL is
 * the same. Throws VALIDATION_ERROR for a URL to which events may not be sent, NOT_FOUND without an endpoint.
 * Implements docs/contract.md, section 7.
 */
export function updateEndpointUrl(context: Context): Rpcs['updateEndpointUrl'] {
  return async (request, call) => {
    const check = checkEndpointUrl(request.url, context.policy);
    if (!check.ok) throw invalid('url', check.message);
    const endpoint = await changeEndpoint(context, request, call, async (tx, { endpointId, url }) => {
      if (url === check.url) return undefined;
      return {
        endpoint: await updateEndpoint(tx, endpointId, { url: check.url }),
        before: { url },
        after: { url: check.url },
      };
    });
    return endpointMessage(endpoint);
  };
}

/**
 * Replaces the signing secret: attempts claimed from now on, including retries of earlier events, are signed with the
 * new one, which is returned in this response and stored sealed in the database. Of two simultaneous rotations the
 * later in the audit log wins. A call repeated with the same idempotency key is answered without the secret, and
 * replaces no newer one. Throws NOT_FOUND without an endpoint. Implements docs/contract.md, section 7.
 */
export function rotateSecret(context: Context): Rpcs['rotateSecret'] {
  return context.idempotent.once(async (request, call, act) => {
    const signingSecret = newSigningSecret();
    const keyFingerprint = fingerprintOf(signingSecret);
    const { endpoint } = await act(async (tx) => {
      const rotated = await changeEndpointIn(tx, context, request, call, async (_tx, before) => {
        const sealedSecret = context.keyRing.seal(Buffer.from(signingSecret), secretAad(before.endpointId));
        return {
          endpoint: await updateEndpoint(tx, before.endpointId, { sealedSecret, keyFingerprint }),
          before: { keyFingerprint: before.keyFingerprint },
          after: { keyFingerprint },
        };
      });
      return { endpoint: endpointMessage(rotated), secretAlreadyShown: true };
    });
    return { endpoint, signingSecret };
  });
}

/**
 * Resumes recording changes and the waiting deliveries; those recorded too long ago end as expired. Does nothing for an
 * enabled endpoint. Throws NOT_FOUND without an endpoint. Implements docs/contract.md, section 7.
 */
export function enableEndpoint(context: Context): Rpcs['enableEndpoint'] {
  return async (request, call) => {
    let expired = 0;
    const endpoint = await changeEndpoint(
      context,
      request,
      call,
      async (tx, { endpointId, enabled }, now) => {
        if (enabled) return undefined;
        await openActivity(tx, endpointId, now);
        expired = await expirePausedOf(tx, endpointId, context.pausedDeliveryMs);
        return {
          endpoint: await updateEndpoint(tx, endpointId, { enabled: true }),
          before: { enabled: false },
          after: { enabled: true, expiredEvents: expired },
        };
      },
    );
    context.countExpired(expired);
    context.wakes.delivery(endpoint.endpointId);
    return endpointMessage(endpoint);
  };
}

/**
 * Stops recording changes and pauses waiting deliveries; an attempt in progress still finishes. Does nothing for a
 * disabled endpoint. Throws NOT_FOUND without an endpoint. Implements docs/contract.md, section 7.
 */
export function disableEndpoint(context: Context): Rpcs['disableEndpoint'] {
  return async (request, call) => {
    const endpoint = await changeEndpoint(
      context,
      request,
      call,
      async (tx, { endpointId, enabled }, now) => {
        if (!enabled) return undefined;
        await closeActivity(tx, endpointId, now);
        return {
          endpoint: await updateEndpoint(tx, endpointId, { enabled: false }),
          before: { enabled: true },
          after: { enabled: false },
        };
      },
    );
    return endpointMessage(endpoint);
  };
}

/** The endpoint after a change, and the old and new values for the audit log; never a secret. */
export interface EndpointChange {
  readonly endpoint: EndpointRecord;
  readonly before: object;
  readonly after: object;
}

type EndpointRequest = { readonly accountId: string; readonly environment: Environment };
type ChangeOfEndpoint = (
  tx: Transaction,
  endpoint: EndpointRecord,
  now: Date,
) => Promise<EndpointChange | undefined>;

/**
 * Changes the endpoint of a request and appends to the audit log, in one transaction; changes are serialized. `change`
 * gets the endpoint as the previous change left it, and the time, read under the lock on activity. If it returns
 * undefined, there is no change to make and nothing is appended. Throws NOT_FOUND without an endpoint.
 */
export const changeEndpoint = (
  context: Pick<Context, 'db' | 'clock'>,
  request: EndpointRequest,
  call: RpcCall,
  change: ChangeOfEndpoint,
): Promise<EndpointRecord> =>
  inTransaction(context.db, (tx) => changeEndpointIn(tx, context, request, call, change));

/** Does the same in a transaction of the caller. */
async function changeEndpointIn(
  tx: Transaction,
  { clock }: Pick<Context, 'clock'>,
  request: EndpointRequest,
  call: RpcCall,
  change: ChangeOfEndpoint,
): Promise<EndpointRecord> {
  const accountId = requestedId<AccountId>('account_id', request.accountId);
  const environment = requestedEnvironment(request.environment);
  await lockActivity(tx, accountId, environment);
  const before = await findEndpoint(tx, accountId, environment);
  if (!before) throw noEndpoint();
  const now = clock.now();
  const changed = await change(tx, before, now);
  if (!changed) return before;
  await auditCall(tx, call, {
    at: now,
    target: before.endpointId,
    accountId,
    before: changed.before,
    after: { endpointId: before.endpointId, environment, ...changed.after },
  });
  return changed.endpoint;
}

export function endpointMessage(endpoint: EndpointRecord): MessageInitShape<typeof EndpointSchema> {
  return {
    endpointId: endpoint.endpointId,
    accountId: endpoint.accountId,
    environment: environmentOf(endpoint.environment),
    url: endpoint.url,
    enabled: endpoint.enabled,
    keyFingerprint: endpoint.keyFingerprint,
    createdAt: toTimestamp(endpoint.createdAt),
    ...(endpoint.failingSince ? { failingSince: toTimestamp(endpoint.failingSince) } : {}),
    failedAttempts: endpoint.failedAttempts,
  };
}
