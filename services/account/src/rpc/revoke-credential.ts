import { toJsonString } from '@bufbuild/protobuf';
import type { CredentialId } from '@supplier/lib/ids';
import { CredentialSchema } from '@supplier/proto/account/v1/account';
import type { Rpcs, ServiceContext } from '../context.ts';
import { raiseRevision } from '../db/account.ts';
import { appendCredentialRevoked } from '../db/account-events.ts';
import { appendAuditLine } from '../db/audit.ts';
import { endCredential, findCredential } from '../db/credential.ts';
import { inTransaction, type Transaction } from '../db/database.ts';
import { credentialMessage } from '../messages/credential-message.ts';
import { auditLine } from './audit-line.ts';
import { idFrom, unknownCredential } from './refusals.ts';

/**
 * Ends a credential at once and tells whoever holds a copy. A credential that has ended before stays as it is: its
 * time is not moved, no event goes out and nothing is logged. Throws NOT_FOUND.
 * Implements docs/contract.md, section 4.
 */
export function revokeCredential({ db, clock }: ServiceContext): Rpcs['revokeCredential'] {
  return async (request, call) => {
    const now = clock.now();
    const id = idFrom<CredentialId>('credential_id', request.credentialId);
    return inTransaction(db, async (tx) => {
      const ended = await endCredential(tx, id, now);
      if (!ended) return endedBefore(tx, id);
      const answer = credentialMessage(ended);
      const revision = await raiseRevision(tx, ended.accountId, now);
      await appendCredentialRevoked(tx, ended, revision, now);
      await appendAuditLine(
        tx,
        auditLine(call, ended.accountId, toJsonString(CredentialSchema, answer), now),
      );
      return answer;
    });
  };
}

async function endedBefore(tx: Transaction, id: CredentialId) {
  const credential = await findCredential(tx, id);
  if (!credential) throw unknownCredential();
  return credentialMessage(credential);
}
