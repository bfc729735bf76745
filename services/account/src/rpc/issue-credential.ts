import { create, toJsonString } from '@bufbuild/protobuf';
import { generateCredential, hashSecret } from '@supplier/lib/credential';
import { type AccountId, type CredentialId, newId } from '@supplier/lib/ids';
import {
  CredentialSchema,
  type IssueCredentialRequest,
  IssueCredentialResponseSchema,
} from '@supplier/proto/account/v1/account';
import type { Rpcs, ServiceContext } from '../context.ts';
import { lockPermittedScopes } from '../db/account.ts';
import { appendAuditLine } from '../db/audit.ts';
import { insertCredential } from '../db/credential.ts';
import { inTransaction } from '../db/database.ts';
import type { Credential } from '../domain/account.ts';
import { credentialViolations } from '../domain/credential-violations.ts';
import { repeatViolations } from '../domain/repeat-violations.ts';
import { credentialMessage } from '../messages/credential-message.ts';
import { ENVIRONMENTS, SCOPES, wordFor } from '../messages/words.ts';
import { auditLine } from './audit-line.ts';
import { idFrom, invalid, unknownAccount } from './refusals.ts';
import { requestedExpiry } from './requested-expiry.ts';

/**
 * Issues a credential whose secret is in the answer and nowhere else. Throws NOT_FOUND, or VALIDATION_ERROR for scopes
 * that repeat or exceed the account's and for an end that is not in the future. Nobody holds a copy that this changes,
 * so the account's revision stays. Implements docs/contract.md, section 4.
 */
export function issueCredential({ db, clock, credentialPrefix }: ServiceContext): Rpcs['issueCredential'] {
  return async (request, call) => {
    const now = clock.now();
    const wish = requestedCredential(request);
    const secrets = generateCredential(credentialPrefix, wish.environment === 'sandbox' ? 'test' : 'live');
    const { publicId, secret, bearer } = secrets;
    const credential: Credential = {
      ...wish,
      id: newId<CredentialId>(),
      publicId,
      createdAt: now,
      revokedAt: null,
    };
    const answer = credentialMessage(credential);
    await inTransaction(db, async (tx) => {
      const permitted = await lockPermittedScopes(tx, wish.accountId);
      if (!permitted) throw unknownAccount();
      const violations = credentialViolations(wish, permitted, now);
      if (violations.length > 0) throw invalid(violations);
      await insertCredential(tx, credential, hashSecret(secret));
      await appendAuditLine(tx, auditLine(call, wish.accountId, toJsonString(CredentialSchema, answer), now));
    });
    return create(IssueCredentialResponseSchema, { credential: answer, bearer });
  };
}

function requestedCredential({ accountId, environment, scopes, expiresAt }: IssueCredentialRequest) {
  const violations = repeatViolations('scopes', scopes);
  if (violations.length > 0) throw invalid(violations);
  return {
    accountId: idFrom<AccountId>('account_id', accountId),
    environment: wordFor(ENVIRONMENTS, environment),
    scopes: scopes.map((scope) => wordFor(SCOPES, scope)),
    expiresAt: requestedExpiry(expiresAt),
  };
}
