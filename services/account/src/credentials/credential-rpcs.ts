import { create, type JsonObject, toJson } from '@bufbuild/protobuf';
import { auditCall } from '@supplier/lib/governance/audit';
import { generateCredential, hashSecret } from '@supplier/lib/rpc/credential';
import { type AccountId, type CredentialId, newId } from '@supplier/lib/text/ids';
import {
  CredentialSchema,
  ListCredentialsResponseSchema,
  ResolveCredentialResponseSchema,
} from '@supplier/proto/account/v1/account';
import type { Context, Rpcs } from '../context.ts';
import type { Credential } from '../model/account.ts';
import { accountMessage, credentialMessage } from '../model/messages.ts';
import { credentialViolations } from '../model/violations.ts';
import { idFrom, invalid, requestedCredential, unknownAccount, unknownCredential } from '../requests.ts';
import {
  accountExists,
  appendCredentialRevoked,
  findStoredAccount,
  raiseRevision,
} from '../store/account-rows.ts';
import {
  endCredential,
  findCredential,
  insertCredential,
  newestCredentials,
} from '../store/credential-rows.ts';
import { inTransaction, type Transaction } from '../store/database.ts';
import { lockAccount } from '../store/lock-account.sql.ts';
import { ISSUE_CREDENTIAL } from './approve-credential.ts';
import { resolveCredential as findByPublicId } from './resolve-credential.sql.ts';

/**
 * Issues a credential. Only this response contains the secret: a call repeated with the same idempotency key returns
 * the credential without it and needs no further approval. Throws NOT_FOUND, or VALIDATION_ERROR for scopes that repeat
 * or exceed the account's and for an expiry that is not in the future. A production credential needs a second person's
 * approval: if SSS_FOUR_EYES is `required`, throws WRONG_STATE without an approval of exactly this request. The
 * account's revision stays the same, because no cache has this credential yet. Implements docs/contract.md, section 4.
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
      await lockAccount(tx, requested.accountId);
      const account = await findStoredAccount(tx, requested.accountId);
      if (!account) throw unknownAccount();
      const violations = credentialViolations(requested, account.permittedScopes, now);
      if (violations.length > 0) throw invalid(violations);
      const approvalId = await approvals.take(tx, ISSUE_CREDENTIAL, request, call);
      await insertCredential(tx, credential, hashSecret(secret));
      await auditCall(tx, call, {
        at: now,
        target: credential.id,
        accountId: requested.accountId,
        after: { ...(toJson(CredentialSchema, answer) as JsonObject), ...(approvalId && { approvalId }) },
      });
      return { credential: answer, secretAlreadyShown: true };
    });
    return { credential: answer, bearer };
  });
}

/**
 * Revokes a credential immediately and emits CredentialRevoked. Repeating the call changes nothing: the revocation time
 * stays, and no event or audit entry is written. Throws NOT_FOUND. Implements docs/contract.md, section 4.
 */
export function revokeCredential({ db, clock }: Context): Rpcs['revokeCredential'] {
  return async (request, call) => {
    const now = clock.now();
    const id = idFrom<CredentialId>('credential_id', request.credentialId);
    return inTransaction(db, async (tx) => {
      const ended = await endCredential(tx, id, now);
      if (!ended) return alreadyEnded(tx, id);
      const answer = credentialMessage(ended);
      const revision = await raiseRevision(tx, ended.accountId, now);
      await appendCredentialRevoked(tx, ended, revision, now);
      await auditCall(tx, call, {
        at: now,
        target: id,
        accountId: ended.accountId,
        after: toJson(CredentialSchema, answer),
      });
      return answer;
    });
  };
}

async function alreadyEnded(tx: Transaction, id: CredentialId) {
  const credential = await findCredential(tx, id);
  if (!credential) throw unknownCredential();
  return credentialMessage(credential);
}

/**
 * Lists the newest 1,000 credentials of an account, including revoked and expired ones, newest first. Throws NOT_FOUND.
 */
export function listCredentials({ db }: Context): Rpcs['listCredentials'] {
  return async (request) => {
    const accountId = idFrom<AccountId>('account_id', request.accountId);
    if (!(await accountExists(db, accountId))) throw unknownAccount();
    const credentials = await newestCredentials(db, accountId);
    return create(ListCredentialsResponseSchema, { credentials: credentials.map(credentialMessage) });
  };
}

/**
 * Returns everything the gateway needs to check a credential and act for its account, even when the credential has
 * ended or the account is suspended; the terms are the current ones. Throws NOT_FOUND for a public id that was never
 * issued. Implements docs/contract.md, section 4.
 */
export function resolveCredential({ pool, clock }: Context): Rpcs['resolveCredential'] {
  return async ({ publicId }) => {
    const now = clock.now();
    const found = await findByPublicId(pool, publicId, now);
    if (!found) throw unknownCredential();
    return create(ResolveCredentialResponseSchema, {
      credential: credentialMessage(found.credential),
      secretHash: found.secretHash,
      account: accountMessage(found.account),
      ...(found.termsUntil && { termsHoldForMs: BigInt(found.termsUntil.getTime() - now.getTime()) }),
    });
  };
}
