// SQL, because every supplier's request waits for this one query.
import type { SqlSession } from '@supplier/lib/data/postgres';
import { accountFromRow, underTerms } from '../store/account-rows.ts';
import { credentialFromRow } from '../store/credential-rows.ts';
import type { AccountModel } from '../store/generated/models/Account.ts';
import type { CredentialModel } from '../store/generated/models/Credential.ts';
import type { ScheduledTermsModel } from '../store/generated/models/ScheduledTerms.ts';
import { termsOf } from '../store/scheduled-terms-rows.ts';

/** A row of the query below: the columns of both tables, with `accountId` for the account's id. */
type Row = Omit<CredentialModel, 'accountId'> &
  Omit<AccountModel, 'id' | 'revision' | 'createdAt' | 'updatedAt'> & {
    accountId: string;
    /** A BIGINT. */
    revision: string;
    dueThresholds: ScheduledTermsModel['thresholds'] | null;
    dueCaps: ScheduledTermsModel['caps'] | null;
    termsUntil: Date | null;
  };

/**
 * Finds a credential by its public id, with the terms that apply at `now`. Also returns ended and expired credentials: the caller decides how to treat them.
 */
export async function resolveCredential(pool: SqlSession, publicId: string, now: Date) {
  const { rows } = await pool.query<Row>({
    name: 'resolve-credential',
    text: `
    SELECT c.id, c.environment, c.public_id AS "publicId", c.secret_hash AS "secretHash",
           c.scopes::text[] AS scopes, c.created_at AS "createdAt", c.expires_at AS "expiresAt",
           c.revoked_at AS "revokedAt",
           a.id AS "accountId", a.name, a.state, a.permitted_scopes::text[] AS "permittedScopes", a.terms,
           a.writes_per_minute AS "writesPerMinute", a.reads_per_minute AS "readsPerMinute", a.revision,
           due.thresholds AS "dueThresholds", due.caps AS "dueCaps", next.effective_from AS "termsUntil"
      FROM credential c JOIN account a ON a.id = c.account_id
      LEFT JOIN LATERAL (SELECT s.thresholds, s.caps FROM scheduled_terms s
                          WHERE s.account_id = a.id AND s.effective_from <= $2
                            AND s.applied_at IS NULL AND s.cancelled_at IS NULL
                          ORDER BY s.effective_from DESC LIMIT 1) AS due ON true
      LEFT JOIN LATERAL (SELECT s.effective_from FROM scheduled_terms s
                          WHERE s.account_id = a.id AND s.effective_from > $2
                            AND s.applied_at IS NULL AND s.cancelled_at IS NULL
                          ORDER BY s.effective_from LIMIT 1) AS next ON true
     WHERE c.public_id = $1`,
    values: [publicId, now],
  });
  const [row] = rows;
  if (!row) return undefined;
  const { id, environment, scopes, createdAt, expiresAt, revokedAt, accountId, secretHash, ...rest } = row;
  const { dueThresholds, dueCaps, termsUntil, revision, ...account } = rest;
  const due =
    dueThresholds !== null && dueCaps !== null
      ? termsOf({ thresholds: dueThresholds, caps: dueCaps })
      : undefined;
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
    account: underTerms(accountFromRow({ ...account, revision: BigInt(revision), id: accountId }), due),
    termsUntil: termsUntil ?? undefined,
  };
}
