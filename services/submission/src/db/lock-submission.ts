import type { SubmissionId } from '@supplier/lib/ids';
import type { Transaction } from './database.ts';
import type { Tenant } from './find-submission.ts';
import { Prisma, type Submission } from './generated/client.ts';

/** Every column under the name its model has: read and locked by one statement, which Prisma has no words for. */
const COLUMNS = Prisma.raw(
  Object.values(Prisma.SubmissionScalarFieldEnum)
    .map((name) => `"${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}" AS "${name}"`)
    .join(', '),
);

/** The row of a submission, locked until the transaction ends; undefined when there is none, or none of the tenant. */
export async function lockSubmission(
  tx: Transaction,
  id: SubmissionId,
  tenant?: Tenant,
): Promise<Submission | undefined> {
  const { accountId = null, environment = null } = tenant ?? {};
  const [locked] = await tx.$queryRaw<Submission[]>`
    SELECT ${COLUMNS} FROM submission WHERE id = ${id}::uuid
      AND (${accountId}::uuid IS NULL OR account_id = ${accountId}::uuid)
      AND (${environment}::smallint IS NULL OR environment = ${environment}::smallint) FOR UPDATE`;
  return locked;
}
