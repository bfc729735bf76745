import { create } from '@bufbuild/protobuf';
import { type AccountId, newId } from '@supplier/lib/text/ids';
import { PrincipalSchema } from '@supplier/proto/common/v1/principal';
import { Environment } from '@supplier/proto/common/v1/status';
import type { KnownCredential } from '../authentication/known-credential.ts';

/** Returns a valid credential of a sandbox account. */
export function knownCredential(changes: Partial<KnownCredential> = {}): KnownCredential {
  const accountId = changes.accountId ?? newId<AccountId>();
  const environment = Environment.SANDBOX;
  return {
    accountId,
    environment,
    secretHash: new Uint8Array(32),
    revoked: false,
    suspended: false,
    expiresAt: undefined,
    principal: create(PrincipalSchema, { accountId, credentialId: newId(), environment }),
    limits: {},
    termsHoldForMs: undefined,
    ...changes,
  };
}
