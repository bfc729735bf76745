import { create } from '@bufbuild/protobuf';
import type { AccountId } from '@supplier/lib/ids';
import { appendEvent, newEvent } from '@supplier/lib/outbox';
import { AccountChangedSchema, CredentialRevokedSchema } from '@supplier/proto/account/v1/events';
import type { Credential } from '../domain/account.ts';
import type { Transaction } from './database.ts';

/** Says, once the transaction is kept, that the account is at `revision` now. */
export async function appendAccountChanged(
  tx: Transaction,
  id: AccountId,
  revision: bigint,
  at: Date,
): Promise<void> {
  const place = { aggregateId: id, aggregateVersion: revision, occurredAt: at };
  await appendEvent(tx, newEvent(AccountChangedSchema, create(AccountChangedSchema, { revision }), place));
}

/** Says, once the transaction is kept, that the credential has ended; `revision` is its account's. */
export async function appendCredentialRevoked(
  tx: Transaction,
  { id, publicId, accountId }: Credential,
  revision: bigint,
  at: Date,
): Promise<void> {
  const message = create(CredentialRevokedSchema, { credentialId: id, publicId });
  const place = { aggregateId: accountId, aggregateVersion: revision, occurredAt: at };
  await appendEvent(tx, newEvent(CredentialRevokedSchema, message, place));
}
