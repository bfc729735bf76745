import { appendAudit, auditEntry } from '@supplier/lib/governance/audit';
import { invalid, RefusalCode, refuse, requestedId } from '@supplier/lib/rpc/refusal';
import { type AccountId, type EndpointId, newId } from '@supplier/lib/text/ids';
import type { Context, Rpcs } from '../context.ts';
import { checkEndpointUrl } from '../model/endpoint-url.ts';
import { fingerprintOf, newSigningSecret } from '../model/signing.ts';
import { requestedEnvironment } from '../requested-environment.ts';
import { secretAad } from '../store/associated-data.ts';
import { findEndpoint, insertEndpoint } from '../store/endpoints.ts';
import { lockActivity } from '../store/locks.sql.ts';
import { endpointMessage } from './endpoint-message.ts';

/**
 * Creates the one endpoint of an account and environment, active at once. Its secret is in this answer and, sealed, in
 * the database: a call repeated with the same idempotency key is answered without it. Throws VALIDATION_ERROR for a URL that events may not be sent to, NOT_FOUND for an unknown account,
 * SERVICE_UNAVAILABLE while the account service is unavailable, ALREADY_EXISTS for a second endpoint. Implements
 * docs/contract.md, section 7.
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
      await appendAudit(
        tx,
        auditEntry(call, {
          at: now,
          target: endpointId,
          accountId,
          after: { endpointId, environment, url: check.url, keyFingerprint },
        }),
      );
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
