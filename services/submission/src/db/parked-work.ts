import type { SubmissionId } from '@supplier/lib/ids';
import type pg from 'pg';

/** Whether the work on a submission has failed repeatedly, and is tried no more before staff release it. */
export async function isWorkParked(tx: Pick<pg.PoolClient, 'query'>, id: SubmissionId): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'is-work-parked',
    text: 'SELECT FROM submission WHERE id = $1 AND work_parked_at IS NOT NULL',
    values: [id],
  });
  return rowCount === 1;
}
