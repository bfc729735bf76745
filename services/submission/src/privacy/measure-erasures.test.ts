import { inTransaction } from '@supplier/lib/data/postgres';
import { forAllTests, startTestProcess } from '@supplier/lib/testing';
import type { SubmissionId } from '@supplier/lib/text/ids';
import { Level } from '@supplier/proto/common/v1/status';
import { otherServices } from '../../testing/other-services.ts';
import { openTestService } from '../../testing/test-service.ts';
import { measureErasures } from './measure-erasures.ts';

const others = otherServices();
const service = forAllTests(() => openTestService({ others }));

/** Returns the gauges of a new process by state: the count, and the age of the oldest in hours. */
async function measured(): Promise<Record<string, readonly [count: number, hours: number]>> {
  const { metrics } = startTestProcess('submission');
  measureErasures(metrics, service.context.workPool, service.context.clock);
  const page = await metrics.metrics();
  const of = (name: string, state: string) =>
    Number(new RegExp(`^${name}\\{state="${state}"\\} (.+)$`, 'm').exec(page)?.[1]);
  return Object.fromEntries(
    ['in_progress', 'held'].map((state) => {
      const hours = Math.floor(of('sss_oldest_erasure_age_seconds', state) / 3_600);
      return [state, [of('sss_erasures_unfinished', state), hours]];
    }),
  );
}

async function asked(): Promise<SubmissionId> {
  const { id } = await service.submit({ level: Level.BASIC });
  await service.work();
  await service.privacy.requestErasure({ submissionIds: [id], purpose: 'erasure request 18' });
  return id;
}

const askedEarlier = (id: SubmissionId, hours: number) =>
  service.context.pool.query(
    `UPDATE erasure SET requested_at = requested_at - $2 * interval '1 hour'
      WHERE id IN (SELECT erasure_id FROM erasure_submission WHERE submission_id = $1)`,
    [id, hours],
  );

describe('measureErasures', () => {
  it('exports the number of unfinished erasures and the age of the oldest, until each is complete', async () => {
    expect(await measured()).toEqual({ in_progress: [0, 0], held: [0, 0] });
    others.away = { documents: true, webhooks: false };
    const oldest = await asked();
    await asked();
    await askedEarlier(oldest, 5);
    await service.erase();
    expect(await measured()).toEqual({ in_progress: [2, 5], held: [0, 0] });

    others.away = { documents: false, webhooks: false };
    await service.context.pool.query(
      'UPDATE erasure_submission SET due_at = now() WHERE completed_at IS NULL',
    );
    await service.erase();
    expect(await measured()).toEqual({ in_progress: [0, 0], held: [0, 0] });
  });

  it('reports erasures under legal hold separately, since they may wait for months', async () => {
    const id = await asked();
    await askedEarlier(id, 30);
    await service.privacy.holdSubmissions({ submissionIds: [id], purpose: 'claim 7' });
    await service.erase();
    expect(await measured()).toEqual({ in_progress: [0, 0], held: [1, 30] });

    await service.privacy.releaseHold({ submissionIds: [id], purpose: 'claim 7 settled' });
    expect(await measured()).toEqual({ in_progress: [1, 30], held: [0, 0] });
  });

  it('counts the 10,000 that have been due longest', async () => {
    await inTransaction(service.context.pool, (tx) =>
      tx.query(`
      SET LOCAL session_replication_role = 'replica';
      TRUNCATE erasure_submission;
      WITH made AS (
        INSERT INTO erasure (id, requested_at, requested_by, reason, purpose, request_id)
        SELECT gen_random_uuid(), '${service.context.clock.now().toISOString()}'::timestamptz - n * interval '1 hour', '', 1, '', ''
          FROM generate_series(1, 10001) AS n RETURNING id, requested_at)
      INSERT INTO erasure_submission (erasure_id, submission_id, due_at)
      SELECT id, gen_random_uuid(), requested_at FROM made ORDER BY requested_at DESC`),
    );
    expect(await measured()).toEqual({ in_progress: [10_000, 10_001], held: [0, 0] });
  });
});
