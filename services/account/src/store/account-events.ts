import { create } from '@bufbuild/protobuf';
import { appendEvent, newEvent } from '@supplier/lib/events/outbox';
import type { AccountId } from '@supplier/lib/text/ids';
import { AccountChangedSchema, CredentialRevokedSchema } from '@supplier/proto/account/v1/events';
import type { Credential } from '../model/account.ts';
import type { Transaction } from './database.ts';

/** Appends the event that the account is at `revision` now. */
export async function appendAccountChanged(
  tx: Transaction,
  id: AccountId,
  revision: bigint,
  at: Date,
): Promise<void> {
  const facts = { aggregateId: id, aggregateVersion: revision, occurredAt: at };
  await appendEvent(tx, newEvent(AccountChangedSchema, create(AccountChangedSchema, { revision }), facts));
}

/** Appends the event that the credential has ended; `revision` is its account's. */
export async function appendCredentialRevoked(
  tx: Transaction,
  { id, publicId, accountId }: Credential,
  revision: bigint,
  at: Date,
): Promise<void> {
  const message = create(CredentialRevokedSchema, { credentialId: id, publicId });
  const facts = { aggregateId: accountId, aggregateVersion: revision, occurredAt: at };
  await appendEvent(tx, newEvent(CredentialRevokedSchema, message, facts));
}
