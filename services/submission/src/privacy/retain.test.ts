import { forEachTest } from '@supplier/lib/testing';
import { type AccountId, newId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { DecisionMode } from '@supplier/proto/common/v1/principal';
import { Environment, Level, Status } from '@supplier/proto/common/v1/status';
import { ErasureReason, ErasureState } from '@supplier/proto/submission/v1/erasures';
import { otherServices } from '../../testing/other-services.ts';
import { newCompanyNumber } from '../../testing/sample-enquiry.ts';
import { openTestService, type SubmitOptions } from '../../testing/test-service.ts';
import { retain } from './retain.ts';
import { FIND_EXPIRED } from './retention.sql.ts';

const service = forEachTest(() => openTestService({ others: otherServices() }));

const at = (text: string) => toTimestamp(new Date(text));
/** Creates a submission received and decided at that time, from a new customer. */
async function decidedAt(time: string, options: SubmitOptions = {}) {
  service.at(time);
  const enquiry = {
    companyNumber: newCompanyNumber(),
    email: `${newId()}@example.test`,
    ...options.enquiry,
  };
  const { id } = await service.submit({ level: Level.BASIC, ...options, enquiry });
  await service.work();
  return id;
}
const erased = async () => {
  const rows = await service.context.db.submission.findMany({ where: { erasedAt: { not: null } } });
  return rows.map(({ id }) => id).sort();
};
const sweep = async () => {
  const swept = await retain.run(service.context);
  await service.erase();
  return swept;
};
const REJECTED = {
  environment: Environment.SANDBOX,
  enquiry: { businessName: 'Sandbox Reject Ltd' },
} as const;

describe('retention', () => {
  it('erases applicants 365 days after a rejection, and 2,190 days after an acceptance', async () => {
    const rejected = await decidedAt('2020-01-01T00:00:00Z', REJECTED);
    const accepted = await decidedAt('2020-01-01T00:00:00Z');
    const waiting = await decidedAt('2020-01-01T00:00:00Z', { terms: { decisionMode: DecisionMode.STAFF } });
    service.at('2020-12-30T23:00:00Z');
    expect(await sweep()).toEqual({ count: 0, more: false });
    service.at('2021-01-01T00:00:01Z');
    expect(await sweep()).toEqual({ count: 2, more: false });
    expect(await erased()).toEqual([rejected, waiting].sort());
    expect(await service.statusOf(waiting)).toBe(Status.REJECTED);
    service.at('2025-12-29T23:00:00Z');
    expect(await sweep()).toEqual({ count: 0, more: false });
    service.at('2025-12-31T00:00:00Z');
    expect(await sweep()).toEqual({ count: 1, more: false });
    expect(await erased()).toEqual([rejected, waiting, accepted].sort());
  });

  it('uses the same process as a request, as its own requester, and certifies it', async () => {
    const id = await decidedAt('2020-01-01T00:00:00Z', REJECTED);
    service.at('2022-01-01T00:00:00Z');
    await sweep();
    const { erasures } = await service.privacy.listErasures({ reason: ErasureReason.RETENTION });
    expect(erasures).toMatchObject([
      { state: ErasureState.COMPLETE, requestedBy: 'service:submission', submissionIds: [id] },
    ]);
    const entries = await service.context.db.auditEntry.findMany({
      where: { target: id, action: 'Retention' },
    });
    expect(entries).toMatchObject([{ actor: 'service:submission' }]);
  });

  it('never erases submissions under legal hold', async () => {
    const held = await decidedAt('2020-01-01T00:00:00Z', REJECTED);
    const free = await decidedAt('2020-01-02T00:00:00Z', REJECTED);
    await service.privacy.holdSubmissions({ submissionIds: [held], purpose: 'claim 19' });
    service.at('2022-01-01T00:00:00Z');
    expect((await sweep()).count).toBe(1);
    expect(await erased()).toEqual([free]);
    await service.privacy.releaseHold({ submissionIds: [held], purpose: 'claim 19 is settled' });
    expect((await sweep()).count).toBe(1);
  });

  it('continues past 500 erasures under legal hold, and logs when it waits for 500 others', async () => {
    const expired = await decidedAt('2020-01-01T00:00:00Z', REJECTED);
    service.at('2022-01-01T00:00:00Z');
    const { pool } = service.context;
    // Only their number matters: their submissions and erasure do not exist.
    await pool.query(`BEGIN; SET LOCAL session_replication_role = replica;
      INSERT INTO erasure_submission (erasure_id, submission_id, due_at)
      SELECT gen_random_uuid(), gen_random_uuid(), now() + interval '1 day' FROM generate_series(1, 500);
      INSERT INTO legal_hold (submission_id, held_at) SELECT submission_id, now() FROM erasure_submission; COMMIT`);
    const warn = jest.spyOn(service.context.log, 'warn');
    await pool.query('BEGIN; SET LOCAL session_replication_role = replica; DELETE FROM legal_hold; COMMIT');
    expect(await retain.run(service.context)).toEqual({ count: 0, more: false });
    expect(warn).toHaveBeenCalledWith({ count: 500, limit: 500 }, 'retention waits for erasures');
    await pool.query(`BEGIN; SET LOCAL session_replication_role = replica;
      INSERT INTO legal_hold (submission_id, held_at) SELECT submission_id, now() FROM erasure_submission; COMMIT`);
    expect(await retain.run(service.context)).toEqual({ count: 1, more: false });
    const { rows } = await pool.query('SELECT FROM erasure_submission WHERE submission_id = $1', [expired]);
    expect(rows).toHaveLength(1);
  });

  it('hands over each submission once when several processes run', async () => {
    for (let n = 0; n < 6; n += 1) await decidedAt('2020-01-01T00:00:00Z', REJECTED);
    service.at('2022-01-01T00:00:00Z');
    const swept = await Promise.all([1, 2, 3].map(() => retain.run(service.context)));
    expect(swept.reduce((sum, { count }) => sum + count, 0)).toBe(6);
  });

  it('can be previewed by account, environment and month, without erasing anything', async () => {
    const accountId = newId<AccountId>();
    const first = await decidedAt('2020-01-15T00:00:00Z', { ...REJECTED, accountId });
    const second = await decidedAt('2020-02-15T00:00:00Z', { accountId });
    await decidedAt('2020-02-15T00:00:00Z');
    const preview = (time: string) => service.privacy.previewRetention({ at: at(time), accountId });
    expect(await preview('2020-03-01T00:00:00Z')).toMatchObject({ count: 0, groups: [] });
    expect(await preview('2030-01-01T00:00:00Z')).toMatchObject({
      count: 2,
      atLeast: false,
      firstIds: [first, second],
      acceptedDays: 2_190,
      notAcceptedDays: 365,
      groups: [
        { accountId, environment: Environment.SANDBOX, month: '2020-01', accepted: false, count: 1 },
        { accountId, environment: Environment.PRODUCTION, month: '2020-02', accepted: true, count: 1 },
      ],
    });
    expect((await service.privacy.previewRetention({ at: at('2030-01-01T00:00:00Z') })).count).toBe(3);
    expect(await erased()).toEqual([]);
  });

  it('finds expired submissions using only indexes', async () => {
    const client = await service.context.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query('SET LOCAL enable_seqscan = off');
      const { rows } = await client.query(`EXPLAIN ${FIND_EXPIRED}`, [new Date(), new Date(), 100]);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      for (const index of ['submission_refused_retention_idx', 'submission_accepted_retention_idx'])
        expect(plan).toContain(index);
      expect(plan).not.toContain('Seq Scan on submission');
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });
});
