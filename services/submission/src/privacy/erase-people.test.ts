import { forAllTests } from '@supplier/lib/testing';
import type { SubmissionId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { ApplicationMinting } from '@supplier/proto/common/v1/principal';
import { Level } from '@supplier/proto/common/v1/status';
import { type Erasure, ErasureState, ErasureStep } from '@supplier/proto/submission/v1/erasures';
import { basicSubmissions } from '../../testing/basic-submissions.ts';
import { otherServices } from '../../testing/other-services.ts';
import { openTestService } from '../../testing/test-service.ts';
import { mintApplications } from '../underwrite/mint-applications.ts';
import { preUnderwriteApplications } from '../underwrite/pre-underwrite-applications.ts';
import { erasePeople } from './erase-people.ts';
import { claimErasures, ERASED_KINDS, wordsFor } from './erasures.sql.ts';

const others = otherServices();
const service = forAllTests(() => openTestService({ others }));
afterEach(() => {
  others.away = { documents: false, webhooks: false };
  others.objectsLeft = 0n;
});

const request = (...submissionIds: SubmissionId[]) =>
  service.privacy.requestErasure({ submissionIds, purpose: 'erasure request 18' });
const now = ({ erasureId }: Erasure) => service.privacy.getErasure({ erasureId });
const dueNow = () => service.context.pool.query('UPDATE erasure_submission SET due_at = now()');

describe('a blocked erasure', () => {
  it('reports which service is unavailable and since when, is not complete, and finishes automatically', async () => {
    const { id } = await service.submit({ level: Level.BASIC });
    await service.work();
    others.away = { documents: true, webhooks: false };
    const asked = await request(id);
    await service.erase();
    const waiting = await now(asked);
    expect(waiting).toMatchObject({ state: ErasureState.IN_PROGRESS });
    expect(waiting.completedAt).toBeUndefined();
    expect(waiting.submissions).toMatchObject([
      {
        nextStep: ErasureStep.DOCUMENTS,
        waitingSince: expect.anything(),
        waitingFor: expect.stringContaining('document service'),
      },
    ]);
    expect(others.asked.deliveries).not.toContain(id);
    others.away = { documents: false, webhooks: true };
    service.at('2026-11-25T09:00:00Z');
    await dueNow();
    await service.erase();
    const waitingSince = toTimestamp(new Date('2026-11-25T09:00:00Z'));
    const waitingFor = expect.stringContaining('webhook service');
    expect((await now(asked)).submissions).toMatchObject([{ waitingFor, waitingSince }]);
    // Failures of an earlier step don't lengthen the back-off of this one.
    const row = await service.context.db.erasureSubmission.findFirst({ where: { submissionId: id } });
    expect(row?.failures).toBe(1);
    others.away = { documents: false, webhooks: false };
    await dueNow();
    await service.erase();
    expect(await now(asked)).toMatchObject({ state: ErasureState.COMPLETE });
  });

  it('removes all text about a decision, regardless of the erasing statement', async () => {
    const { id } = await service.submit({ level: Level.BASIC });
    await service.work();
    const { pool } = service.context;
    await pool.query(`UPDATE submission SET decision_reason = 'knows the applicant' WHERE id = $1`, [id]);
    await expect(pool.query('UPDATE submission SET erased_at = now() WHERE id = $1', [id])).rejects.toThrow(
      'submission_erased_reason_check',
    );
  });

  it.each([
    ['for the same thing', { objectsLeft: 1n }, 'object store', [0, 0, 0]],
    ['after the same failure', { away: { documents: true, webhooks: false } }, 'document service', [1, 2, 3]],
  ])(
    'reports since when it has been waiting %s, however often it tries',
    async (_, blocked, reason, failures) => {
      const { id } = await service.submit({ level: Level.BASIC });
      await service.work();
      Object.assign(others, blocked);
      const asked = await request(id);
      const since = [];
      const counted = [];
      for (let time = 0; time < 3; time += 1) {
        service.at(`2026-11-25T1${time}:00:00Z`);
        await dueNow();
        await erasePeople.run(service.context);
        const [waiting] = (await now(asked)).submissions;
        expect(waiting).toMatchObject({
          nextStep: ErasureStep.DOCUMENTS,
          waitingFor: expect.stringContaining(reason),
        });
        since.push(waiting?.waitingSince);
        counted.push(await service.context.db.erasureSubmission.findFirst({ where: { submissionId: id } }));
      }
      expect(counted.map((row) => row?.failures)).toEqual(failures);
      expect(since).toEqual(since.map(() => toTimestamp(new Date('2026-11-25T10:00:00Z'))));
    },
  );

  it('does not keep one that has been due for longer waiting when more are due than are claimed at once', async () => {
    const { pool } = service.context;
    const ids = [await service.submit(), await service.submit(), await service.submit()].map(({ id }) => id);
    await service.work();
    await request(...ids);
    await pool.query(
      `UPDATE erasure_submission SET due_at = now() - array_position($1::uuid[], submission_id) * interval '1 day'
        WHERE submission_id = ANY($1)`,
      [ids],
    );
    const claimed = [...(await claimErasures(pool, 1)), ...(await claimErasures(pool, 1))];
    expect(claimed.map(({ submission_id }) => submission_id)).toEqual([ids[2], ids[1]]);
  });

  it('is complete when the last of its submissions is', async () => {
    const ids = [await service.submit(), await service.submit()].map(({ id }) => id);
    await service.work();
    const asked = await request(...ids);
    for (const [n, id] of ids.entries()) {
      service.at(`2026-11-26T1${n}:00:00Z`);
      await service.context.pool.query(
        `UPDATE erasure_submission SET due_at = CASE submission_id WHEN $1 THEN now() ELSE now() + interval '1 h' END`,
        [id],
      );
      await service.erase();
    }
    const completedAt = toTimestamp(new Date('2026-11-26T11:00:00Z'));
    expect(await now(asked)).toMatchObject({ state: ErasureState.COMPLETE, completedAt });
  });

  it('continues in another process when its own dies between two steps', async () => {
    const { id } = await service.submit({ level: Level.BASIC });
    await service.work();
    others.away = { documents: true, webhooks: true };
    const asked = await request(id);
    await service.erase();
    // A process that has claimed it and stops responding.
    await dueNow();
    const { rowCount } = await service.context.pool.query(
      `UPDATE erasure_submission SET claims = claims + 1, due_at = now() + interval '20 s' WHERE submission_id = $1`,
      [id],
    );
    expect(rowCount).toBe(1);
    others.away = { documents: false, webhooks: false };
    await service.erase();
    expect(await now(asked)).toMatchObject({ state: ErasureState.IN_PROGRESS });
    await dueNow();
    await service.erase();
    expect(await now(asked)).toMatchObject({ state: ErasureState.COMPLETE });
    // Each removed kind is listed once.
    const kinds =
      (await now(asked)).submissions[0]?.removed.map(({ place, kind }) => `${place} ${kind}`) ?? [];
    expect(new Set(kinds).size).toBe(kinds.length);
  });

  it.each([
    ['answers', () => {}],
    ['has objects left', () => (others.objectsLeft = 1n)],
    ['fails', () => (others.away = { documents: true, webhooks: false })],
  ])('is not set back by a process whose lease expired when its call %s', async (_, then) => {
    const { id } = await service.submit({ level: Level.BASIC });
    await service.work();
    const asked = await request(id);
    let complete: Erasure | undefined;
    others.meanwhile = async () => {
      others.meanwhile = async () => {};
      await dueNow();
      await service.erase();
      complete = await now(asked);
      then();
    };
    await service.erase();
    expect(complete).toMatchObject({ state: ErasureState.COMPLETE });
    expect(await now(asked)).toEqual(complete);
    expect(others.asked.deliveries.filter((one) => one === id)).toEqual([id]);
  });

  it.each([
    ['the Application of an accepted submission', ApplicationMinting.ON_ACCEPTANCE, mintApplications],
    [
      'the pre-underwriting of a promoted submission',
      ApplicationMinting.ON_PROMOTION,
      preUnderwriteApplications,
    ],
  ] as const)('waits for %s', async (_, applicationMinting, work) => {
    const allSubmitted = basicSubmissions(service);
    const submission = await allSubmitted.submit({ terms: { applicationMinting } });
    const { id } = submission;
    if (applicationMinting === ApplicationMinting.ON_PROMOTION) await allSubmitted.promote(submission);
    const asked = await request(id);
    expect(await erasePeople.run(service.context)).toMatchObject({ more: true });
    expect((await now(asked)).submissions).toMatchObject([
      { nextStep: ErasureStep.OWN_DATA, waitingFor: expect.stringContaining('in progress') },
    ]);
    await service.work(work);
    await dueNow();
    await service.erase();
    expect(await now(asked)).toMatchObject({ state: ErasureState.COMPLETE });
    expect(await service.context.db.application.count({ where: { submissionId: id } })).toBe(1);
  });

  it('is carried out once by several processes', async () => {
    const ids: SubmissionId[] = [];
    for (let n = 0; n < 12; n += 1) ids.push((await service.submit({ level: Level.BASIC })).id);
    await service.work();
    await request(...ids);
    await Promise.all([1, 2, 3].map(() => service.erase()));
    for (const id of ids) expect(others.asked.documents.filter((one) => one === id)).toEqual([id]);
    // Complete erasures are not claimed again.
    await dueNow();
    expect(await erasePeople.run(service.context)).toEqual({ count: 0, more: false });
  });
});

describe('the kinds in an erasure certificate', () => {
  it('have a distinct description each', () => {
    const all = Object.entries(ERASED_KINDS).flatMap(([place, kinds]) =>
      Object.keys(kinds).map((kind) => wordsFor(place, kind)),
    );
    expect(all).toHaveLength(16);
    expect(new Set(all.filter((words) => words.length > 10)).size).toBe(16);
  });

  it('have no description after a later version has removed a kind or service', () => {
    expect(wordsFor('submission', 'removed')).toBe('');
    expect(wordsFor('removed', 'enquiry')).toBe('');
  });
});
