import { create } from '@bufbuild/protobuf';
import { ResolveCredentialResponseSchema } from '@supplier/proto/account/v1/account';
import type { Context, Rpcs } from '../context.ts';
import { accountMessage } from '../model/account-message.ts';
import { credentialMessage } from '../model/credential-message.ts';
import { unknownCredential } from '../refusals.ts';
import { resolveCredential as findByPublicId } from './resolve-credential.sql.ts';

/**
 * Everything the gateway needs to judge a credential and act for its account, also when the credential has ended or
 * the account is suspended; its terms are those of this moment. Throws NOT_FOUND for a public id that was never issued.
 * Implements docs/contract.md, section 4.
 */
export function resolveCredential({ db, clock }: Context): Rpcs['resolveCredential'] {
  return async ({ publicId }) => {
    const now = clock.now();
    const found = await findByPublicId(db, publicId, now);
    if (!found) throw unknownCredential();
    return create(ResolveCredentialResponseSchema, {
      credential: credentialMessage(found.credential),
      secretHash: found.secretHash,
      account: accountMessage(found.account),
      ...(found.termsUntil && { termsHoldForMs: BigInt(found.termsUntil.getTime() - now.getTime()) }),
    });
  };
}
