// SQL, because Prisma can't lock rows.
import type { AccountId } from '@supplier/lib/text/ids';
import type { Transaction } from './database.ts';

/** Locks the account, if it exists, until the transaction ends. */
export async function lockAccount(tx: Transaction, id: AccountId): Promise<void> {
  await tx.$queryRaw`SELECT FROM account WHERE id = ${id}::uuid FOR NO KEY UPDATE`;
}
