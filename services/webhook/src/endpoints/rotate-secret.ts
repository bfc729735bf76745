import type { Context, Rpcs } from '../context.ts';
import { fingerprintOf, newSigningSecret } from '../model/signing.ts';
import { secretAad } from '../store/associated-data.ts';
import { updateEndpoint } from '../store/endpoints.ts';
import { changeEndpoint } from './change-endpoint.ts';
import { endpointMessage } from './endpoint-message.ts';

/**
 * Replaces the signing secret: attempts claimed from now on, including retries of earlier events, are signed with the
 * new one, which is in this answer and, sealed, in the database. Of two simultaneous rotations the later in the audit
 * log wins. Throws NOT_FOUND without an endpoint. Implements docs/contract.md, section 7.
 */
export function rotateSecret(context: Context): Rpcs['rotateSecret'] {
  return async (request, call) => {
    const signingSecret = newSigningSecret();
    const keyFingerprint = fingerprintOf(signingSecret);
    const endpoint = await changeEndpoint(context, request, call, async (tx, before) => {
      const sealedSecret = context.keyRing.seal(Buffer.from(signingSecret), secretAad(before.endpointId));
      return {
        endpoint: await updateEndpoint(tx, before.endpointId, { sealedSecret, keyFingerprint }),
        before: { keyFingerprint: before.keyFingerprint },
        after: { keyFingerprint },
      };
    });
    return { endpoint: endpointMessage(endpoint), signingSecret };
  };
}
