import { create } from '@bufbuild/protobuf';
import { toTimestamp } from '@supplier/lib/text/time';
import { type Credential as CredentialMessage, CredentialSchema } from '@supplier/proto/account/v1/account';
import type { Credential } from './account.ts';
import { ENVIRONMENTS, SCOPES } from './enum-mapping.ts';

/** The credential as callers see it. */
export function credentialMessage(credential: Credential): CredentialMessage {
  return create(CredentialSchema, {
    credentialId: credential.id,
    accountId: credential.accountId,
    environment: ENVIRONMENTS[credential.environment],
    publicId: credential.publicId,
    scopes: credential.scopes.map((scope) => SCOPES[scope]),
    createdAt: toTimestamp(credential.createdAt),
    ...(credential.expiresAt ? { expiresAt: toTimestamp(credential.expiresAt) } : {}),
    ...(credential.revokedAt ? { revokedAt: toTimestamp(credential.revokedAt) } : {}),
  });
}
