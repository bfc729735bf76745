import { type AccountId, type EndpointId, newId } from '@supplier/lib/ids';
import { invalid, RefusalCode, refuse, requestedId } from '@supplier/lib/refusal';
import { currentContext } from '@supplier/lib/request-context';
import { callerOf } from '@supplier/lib/rpc-server';
import type { Rpcs, ServiceContext } from '../context.ts';
import { appendAuditLine } from '../db/audit.ts';
import { inTransaction } from '../db/database.ts';
import { findEndpoint, insertEndpoint } from '../db/endpoints.ts';
import { lockActivity } from '../db/locks.ts';
import { checkEndpointUrl } from '../domain/endpoint-url.ts';
import { secretPlace } from '../domain/sealed-places.ts';
import { fingerprintOf, newSigningSecret } from '../domain/signing.ts';
import { endpointMessage } from '../messages/endpoint-message.ts';
import { requestedEnvironment } from '../requests/environment.ts';

/**
 * Creates the one endpoint of an account and environment, active at once. Its secret is in this answer and, sealed, in
 * the database. Throws VALIDATION_ERROR for a URL that events may not be sent to, ALREADY_EXISTS for a second endpoint.
 * Implements docs/contract.md, section 7.
 */
export function createEndpoint({ db, clock, ring, policy }: ServiceContext): Rpcs['createEndpoint'] {
  return async (request, call) => {
    const accountId = requestedId<AccountId>('account_id', request.accountId);
    const environment = requestedEnvironment(request.environment);
    const check = checkEndpointUrl(request.url, policy);
    if (!check.ok) throw invalid('url', check.message);

    const endpointId = newId<EndpointId>();
    const signingSecret = newSigningSecret();
    const keyFingerprint = fingerprintOf(signingSecret);
    const sealedSecret = ring.seal(Buffer.from(signingSecret), secretPlace(endpointId));

    const endpoint = await inTransaction(db, async (tx) => {
      await lockActivity(tx, accountId, environment);
      if (await findEndpoint(tx, accountId, environment)) throw secondEndpoint();
      const now = clock.now();
      await appendAuditLine(tx, {
        at: now,
        actor: callerOf(call).subject,
        action: call.method.name,
        accountId,
        details: { endpointId, environment, url: check.url, keyFingerprint },
        requestId: currentContext()?.requestId ?? '',
      });
      const created = { endpointId, accountId, environment, url: check.url, sealedSecret, keyFingerprint };
      return insertEndpoint(tx, { ...created, createdAt: now });
    });
    return { endpoint: endpointMessage(endpoint), signingSecret };
  };
}

function secondEndpoint() {
  return refuse(RefusalCode.ALREADY_EXISTS, 'The account already has an endpoint in this environment.');
}
