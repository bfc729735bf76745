import { create } from '@bufbuild/protobuf';
import { ResolveCredentialResponseSchema } from '@supplier/proto/account/v1/account';
import type { Context, Rpcs } from '../context.ts';
import { resolveCredential as findByPublicId } from '../db/resolve-credential.ts';
import { accountMessage } from '../messages/account-message.ts';
import { credentialMessage } from '../messages/credential-message.ts';
import { unknownCredential } from '../requests/refusals.ts';

/**
 * Everything the gateway needs to judge a credential and act for its account, also when the credential has ended or
 * the account is suspended. Throws NOT_FOUND for a public id that was never issued.
 * Implements docs/contract.md, section 4.
 */
export function resolveCredential({ db }: Context): Rpcs['resolveCredential'] {
  return async ({ publicId }) => {
    const found = await findByPublicId(db, publicId);
    if (!found) throw unknownCredential();
    return create(ResolveCredentialResponseSchema, {
      credential: credentialMessage(found.credential),
      secretHash: found.secretHash,
      account: accountMessage(found.account),
    });
  };
}
