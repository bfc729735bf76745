// SQL, because Prisma can't lock rows.
import type { SqlSession } from '@supplier/lib/data/postgres';
import type { AccountId } from '@supplier/lib/text/ids';

/** Locks the account, if it exists, until the transaction ends. */
export async function lockAccount(tx: SqlSession, id: AccountId): Promise<void> {
  await tx.query('SELECT FROM account WHERE id = $1 FOR NO KEY UPDATE', [id]);
}
