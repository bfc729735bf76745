import { toJson } from '@bufbuild/protobuf';
import { appendAudit, auditEntry } from '@supplier/lib/governance/audit';
import type { CredentialId } from '@supplier/lib/text/ids';
import { CredentialSchema } from '@supplier/proto/account/v1/account';
import type { Context, Rpcs } from '../context.ts';
import { credentialMessage } from '../model/credential-message.ts';
import { idFrom, unknownCredential } from '../refusals.ts';
import { appendCredentialRevoked } from '../store/account-events.ts';
import { raiseRevision } from '../store/account-rows.ts';
import { endCredential, findCredential } from '../store/credential-rows.ts';
import { inTransaction, type Transaction } from '../store/database.ts';

/**
 * Ends a credential at once and emits CredentialRevoked. Repeating it changes nothing: the time of the revocation
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
      await appendAudit(
        tx,
        auditEntry(call, {
          at: now,
          target: id,
          accountId: ended.accountId,
          after: toJson(CredentialSchema, answer),
        }),
      );
      return answer;
    });
  };
}

async function alreadyEnded(tx: Transaction, id: CredentialId) {
  const credential = await findCredential(tx, id);
  if (!credential) throw unknownCredential();
  return credentialMessage(credential);
}
