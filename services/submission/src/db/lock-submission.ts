import type { SubmissionId } from '@supplier/lib/ids';
import type { Transaction } from './database.ts';
import type { Tenant } from './find-submission.ts';
import type { Submission } from './generated/client.ts';

/** The row of a submission, locked until the transaction ends; undefined when there is none, or none of the tenant. */
export async function lockSubmission(
  tx: Transaction,
  id: SubmissionId,
  tenant?: Tenant,
): Promise<Submission | undefined> {
  const { accountId = null, environment = null } = tenant ?? {};
  const locked = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM submission WHERE id = ${id}::uuid
      AND (${accountId}::uuid IS NULL OR account_id = ${accountId}::uuid)
      AND (${environment}::smallint IS NULL OR environment = ${environment}::smallint) FOR UPDATE`;
  if (locked.length === 0) return undefined;
  return tx.submission.findUniqueOrThrow({ where: { id } });
}
