import type { AccountId, CredentialId } from '@supplier/lib/text/ids';
import type { Credential } from '../model/account.ts';
import type { Tables } from './database.ts';
import type { CredentialModel } from './generated/models/Credential.ts';

/** Maximum number of credentials in one response. */
const MAX_LISTED = 1_000;

export async function insertCredential(
  tx: Tables,
  credential: Credential,
  secretHash: Uint8Array,
): Promise<void> {
  const scopes = [...credential.scopes];
  await tx.credential.create({ data: { ...credential, scopes, secretHash: new Uint8Array(secretHash) } });
}

export async function newestCredentials(tx: Tables, accountId: AccountId): Promise<Credential[]> {
  const rows = await tx.credential.findMany({
    where: { accountId },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: MAX_LISTED,
    omit: { secretHash: true },
  });
  return rows.map(credentialFromRow);
}

export async function findCredential(tx: Tables, id: CredentialId): Promise<Credential | undefined> {
  const row = await tx.credential.findUnique({ where: { id }, omit: { secretHash: true } });
  return row ? credentialFromRow(row) : undefined;
}

/** Revokes a credential at `now`; returns undefined when it was already revoked or never issued. */
export async function endCredential(
  tx: Tables,
  id: CredentialId,
  now: Date,
): Promise<Credential | undefined> {
  const [row] = await tx.credential.updateManyAndReturn({
    where: { id, revokedAt: null },
    data: { revokedAt: now },
    omit: { secretHash: true },
  });
  return row ? credentialFromRow(row) : undefined;
}

export function credentialFromRow(row: Omit<CredentialModel, 'secretHash'>): Credential {
  return { ...row, id: row.id as CredentialId, accountId: row.accountId as AccountId };
}
