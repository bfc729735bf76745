import type { SubmissionId } from '@supplier/lib/ids';
import type { Transaction } from './database.ts';
import type { Submission } from './generated/client.ts';

/** The row of a submission, locked until the transaction ends; undefined when there is none. */
export async function lockSubmission(tx: Transaction, id: SubmissionId): Promise<Submission | undefined> {
  const locked = await tx.$queryRaw<unknown[]>`SELECT 1 FROM submission WHERE id = ${id}::uuid FOR UPDATE`;
  if (locked.length === 0) return undefined;
  return tx.submission.findUniqueOrThrow({ where: { id } });
}
