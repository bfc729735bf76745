import { type JsonObject, toJson } from '@bufbuild/protobuf';
import { appendAudit, auditEntry } from '@supplier/lib/governance/audit';
import { generateCredential, hashSecret } from '@supplier/lib/rpc/credential';
import { type CredentialId, newId } from '@supplier/lib/text/ids';
import { CredentialSchema } from '@supplier/proto/account/v1/account';
import { ISSUE_CREDENTIAL } from '../approvable-acts.ts';
import type { Context, Rpcs } from '../context.ts';
import type { Credential } from '../model/account.ts';
import { credentialMessage } from '../model/credential-message.ts';
import { credentialViolations } from '../model/credential-violations.ts';
import { invalid, unknownAccount } from '../refusals.ts';
import { requestedCredential } from '../requested-credential.ts';
import { lockPermittedScopes } from '../store/account-rows.ts';
import { insertCredential } from '../store/credential-rows.ts';

/**
 * Issues a credential whose secret is in the answer and nowhere else: a call repeated with the same idempotency key is
 * answered without it, and needs no other approval. Throws NOT_FOUND, or VALIDATION_ERROR for scopes
 * that repeat or exceed the account's and for an expiry that is not in the future. One for production takes two people:
 * WRONG_STATE without an approval of exactly this, where SSS_FOUR_EYES is required. The account's revision stays: no
 * cache has this credential yet. Implements docs/contract.md, section 4.
 */
export function issueCredential({
  clock,
  credentialPrefix,
  approvals,
  idempotent,
}: Context): Rpcs['issueCredential'] {
  return idempotent.once(async (request, call, act) => {
    const now = clock.now();
    const requested = requestedCredential(request);
    const secrets = generateCredential(
      credentialPrefix,
      requested.environment === 'sandbox' ? 'test' : 'live',
    );
    const { publicId, secret, bearer } = secrets;
    const credential: Credential = {
      ...requested,
      id: newId<CredentialId>(),
      publicId,
      createdAt: now,
      revokedAt: null,
    };
    const answer = credentialMessage(credential);
    await act(async (tx) => {
      const permitted = await lockPermittedScopes(tx, requested.accountId);
      if (!permitted) throw unknownAccount();
      const violations = credentialViolations(requested, permitted, now);
      if (violations.length > 0) throw invalid(violations);
      const approvalId = await approvals.take(tx, ISSUE_CREDENTIAL, request, call);
      await insertCredential(tx, credential, hashSecret(secret));
      await appendAudit(
        tx,
        auditEntry(call, {
          at: now,
          target: credential.id,
          accountId: requested.accountId,
          after: { ...(toJson(CredentialSchema, answer) as JsonObject), ...(approvalId && { approvalId }) },
        }),
      );
      return { credential: answer, secretAlreadyShown: true };
    });
    return { credential: answer, bearer };
  });
}
