import type { Account, Credential } from '../domain/account.ts';
import { accountFromRow } from './account.ts';
import { credentialFromRow } from './credential.ts';
import type { Database } from './database.ts';
import type { AccountModel } from './generated/models/Account.ts';
import type { CredentialModel } from './generated/models/Credential.ts';

/** A credential, what is stored of its secret, and the account behind it. */
export interface ResolvedCredential {
  readonly credential: Credential;
  readonly secretHash: Uint8Array<ArrayBuffer>;
  readonly account: Account;
}

/** A row of the query below: the columns of both tables, with `accountId` for the account's id. */
type Row = Omit<CredentialModel, 'accountId'> &
  Omit<AccountModel, 'id' | 'createdAt' | 'updatedAt'> & { accountId: string };

/**
 * Finds a credential by its public id in one query, since a supplier's request waits for it at the gateway. Finds ended
 * and expired ones, too: the caller decides what that means.
 */
export async function resolveCredential(
  db: Database,
  publicId: string,
): Promise<ResolvedCredential | undefined> {
  const [row] = await db.$queryRaw<Row[]>`
    SELECT c.id, c.environment::text, c.public_id AS "publicId", c.secret_hash AS "secretHash",
           c.scopes::text[] AS scopes, c.created_at AS "createdAt", c.expires_at AS "expiresAt",
           c.revoked_at AS "revokedAt",
           a.id AS "accountId", a.name, a.state::text, a.permitted_scopes::text[] AS "permittedScopes", a.terms,
           a.writes_per_minute AS "writesPerMinute", a.reads_per_minute AS "readsPerMinute", a.revision
      FROM credential c JOIN account a ON a.id = c.account_id
     WHERE c.public_id = ${publicId}`;
  if (!row) return undefined;
  const { id, environment, scopes, createdAt, expiresAt, revokedAt, accountId, secretHash, ...account } = row;
  return {
    credential: credentialFromRow({
      id,
      accountId,
      environment,
      publicId,
      scopes,
      createdAt,
      expiresAt,
      revokedAt,
    }),
    secretHash,
    account: accountFromRow({ ...account, id: accountId }),
  };
}
