import { inTransaction } from '@supplier/lib/data/postgres';
import { forAllTests } from '@supplier/lib/testing';
import { PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import { openTestService } from '../../testing/test-service.ts';
import { lockSubmission } from './load-submissions.sql.ts';

const service = forAllTests(() => openTestService());

/** Resolves when a transaction waits for a lock held by another. */
async function hasWaiters(): Promise<void> {
  for (;;) {
    const { rows } = await service.context.pool.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    if (rows.length > 0) return;
  }
}

describe('a submission locked for a change', () => {
  it('is read with its Application as the previous holder of the lock committed both', async () => {
    const { id } = await service.submit();
    await service.decide(id);
    await service.work();
    const { pool } = service.context;
    let waiting: Promise<number | null | undefined> | undefined;
    await inTransaction(pool, async (tx) => {
      await lockSubmission(tx, id);
      waiting = inTransaction(pool, async (other) => (await lockSubmission(other, id))?.pre_underwriting);
      await hasWaiters();
      await tx.query('UPDATE submission SET version = version + 1 WHERE id = $1', [id]);
      await tx.query('UPDATE application SET pre_underwriting = $2 WHERE submission_id = $1', [
        id,
        PreUnderwritingState.NOT_CLEARED,
      ]);
    });
    expect(await waiting).toBe(PreUnderwritingState.NOT_CLEARED);
  });
});
