import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { RefusalCode } from '@supplier/lib/rpc/refusal';
import { runInContext } from '@supplier/lib/runtime/request-context';
import { forAllTests, refusalTo } from '@supplier/lib/testing';
import { type AccountId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { ScreeningResult } from '@supplier/proto/common/v1/enquiry';
import {
  ApplicationMinting,
  DecisionMode,
  PreUnderwritingFailure,
} from '@supplier/proto/common/v1/principal';
import { Environment, Level, Status } from '@supplier/proto/common/v1/status';
import {
  type Erasure,
  ErasureReason,
  ErasureState,
  ErasureStep,
  type ListedErasure,
} from '@supplier/proto/submission/v1/erasures';
import { PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import { basicSubmissions } from '../../testing/basic-submissions.ts';
import { otherServices } from '../../testing/other-services.ts';
import { newCompanyNumber } from '../../testing/sample-enquiry.ts';
import { openTestService } from '../../testing/test-service.ts';
import { erasePeople } from './erase-people.ts';

const others = otherServices();
const service = forAllTests(() => openTestService({ others }));
const allSubmitted = basicSubmissions(service);
afterEach(() => {
  others.away = { documents: false, webhooks: false };
  others.objectsLeft = 0n;
});

const purpose = 'erasure request 18';
const REQUEST_ID = '01890000-0000-7000-8000-000000000018';
const PAT = { actor: 'pat', issuer: 'test', roles: ['staff:privacy'] };
const request = (...submissionIds: SubmissionId[]) =>
  service.privacy.requestErasure({ submissionIds, purpose });
const messageOf = (call: Promise<unknown>) =>
  call.then(
    () => '',
    (error: Error) => error.message,
  );
const hold = (...submissionIds: SubmissionId[]) =>
  service.privacy.holdSubmissions({ submissionIds, purpose: 'claim 19' });
const release = (...submissionIds: SubmissionId[]) =>
  service.privacy.releaseHold({ submissionIds, purpose: 'claim 19 is settled' });
const now = ({ erasureId }: Erasure) => service.privacy.getErasure({ erasureId });
const dueNow = () => service.context.pool.query('UPDATE erasure_submission SET due_at = now()');
/** Returns what remains of a submission in every table, as text: everything but ids, times and the account's terms. */
const leftOf = async (id: SubmissionId) => {
  const { rows } = await service.context.pool.query(
    `SELECT w.enquiry, w.contact, w.body_digest, w.body_fingerprint, w.company_hash, w.telephone_hash, w.email_hash,
            w.request_id, w.decision_reason,
            (SELECT array_agg(a.close_reason) FROM application a WHERE a.submission_id = w.id AND a.close_reason IS NOT NULL) AS closed,
            (SELECT array_agg(a.snapshot) FROM application a WHERE a.submission_id = w.id AND a.snapshot IS NOT NULL),
            (SELECT array_agg(c.contact) FROM contact_correction c WHERE c.submission_id = w.id AND c.contact IS NOT NULL),
            (SELECT array_agg(p.stated) FROM promoted_keys p WHERE p.submission_id = w.id) AS promoted,
            (SELECT array_agg(o.contact) FROM other_contact o WHERE o.submission_id = w.id) AS other,
            (SELECT array_agg(k.body_digest) FROM operation_key k
              WHERE k.submission_id = w.id AND num_nonnulls(k.body_digest, k.body_fingerprint) > 0) AS operations,
            (SELECT array_agg(l.token) FROM journey_link l
              WHERE l.submission_id = w.id AND (l.token <> '' OR l.token_digest IS NOT NULL)) AS links
       FROM submission w WHERE w.id = $1`,
    [id],
  );
  return Object.entries(rows[0]).flatMap(([column, value]) => (value === null ? [] : [column]));
};
const HANDED_OFF = { enrolments: { documentFirst: true } };

/** Creates a submission with every kind of personal data in this service. */
async function fullSubmission() {
  const accountId = newId<AccountId>();
  const submitted = await allSubmitted.submit({
    accountId,
    enquiry: { email: `${accountId}@example.test`, companyNumber: newCompanyNumber() },
    terms: { applicationMinting: ApplicationMinting.ON_PROMOTION, ...HANDED_OFF },
  });
  await allSubmitted.correct(submitted, 0, { firstName: 'Grace', telephone: '07911 555111' });
  await allSubmitted.promote(submitted);
  await service.work();
  return submitted;
}

describe('erasing an applicant', () => {
  it('removes the data in every service, and certifies which data was removed and which is kept', async () => {
    const submitted = await fullSubmission();
    await service.context.pool.query(
      "UPDATE application SET pre_underwriting = 3, close_reason = 'Ada has died' WHERE submission_id = $1",
      [submitted.id],
    );
    await service.context.pool.query("UPDATE submission SET request_id = 'ada@example.test' WHERE id = $1", [
      submitted.id,
    ]);
    expect((await leftOf(submitted.id)).length).toBeGreaterThan(12);
    const before = await service.context.db.submission.findUniqueOrThrow({ where: { id: submitted.id } });
    const asked = await request(submitted.id);
    expect(asked).toMatchObject({ state: ErasureState.IN_PROGRESS, reason: ErasureReason.REQUEST, purpose });
    await service.erase();

    expect(await leftOf(submitted.id)).toEqual([]);
    const certificate = await now(asked);
    expect(certificate).toMatchObject({ state: ErasureState.COMPLETE, requestedBy: 'pat' });
    expect(certificate.completedAt).toBeDefined();
    const [part] = certificate.submissions;
    expect(part).toMatchObject({ submissionId: submitted.id, nextStep: ErasureStep.DONE, waitingFor: '' });
    const removed = Object.fromEntries(
      (part?.removed ?? []).map(({ place, kind, count }) => [`${place} ${kind}`, Number(count)]),
    );
    expect(removed).toEqual({
      'submission enquiry': 1,
      'submission working_contact': 1,
      'submission contact_correction': 1,
      'submission other_contact': 2,
      'submission application_snapshot': 1,
      'submission match_hash': 5,
      'submission body_digest': 1,
      'submission operation_digest': 2,
      'submission journey_link': 1,
      'submission request_id': 1,
      'submission decision_reason': 1,
      'submission close_reason': 1,
      'document document': 2,
      'document upload_reference': 1,
      'webhook event_body': 1,
      'webhook attempt_answer': 3,
    });
    expect((part?.removed ?? []).filter(({ what }) => what === '')).toEqual([]);
    expect(certificate.kept.map(({ place }) => place)).toEqual(
      expect.arrayContaining(['submission', 'billing', 'document', 'webhook', 'backups']),
    );

    const after = await service.context.db.submission.findUniqueOrThrow({ where: { id: submitted.id } });
    expect(after.erasedAt).not.toBeNull();
    for (const kept of [
      'status',
      'decidedAt',
      'decisionRule',
      'applicationReference',
      'billingStatus',
    ] as const)
      expect([kept, after[kept]]).toEqual([kept, before[kept]]);
  });

  it('leaves no applicant to find, read, export or recognise', async () => {
    const email = `${newId()}@example.test`;
    const { id } = await service.submit({ enquiry: { email } });
    await service.decide(id);
    await request(id);
    await service.erase();
    expect((await service.privacy.findPerson({ email, purpose })).submissions).toEqual([]);
    const read = service.staff.readEnquiry({ submissionId: id, purpose });
    expect(await refusalTo(read)).toMatchObject({ code: RefusalCode.WRONG_STATE });
    const exported = await service.privacy.exportSubmission({ submissionId: id, purpose });
    expect(exported).toMatchObject({ submissionId: id, erasedAt: expect.anything() });
    expect([exported.enquiry, exported.consents, exported.application?.snapshot]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    const again = await service.submit({ enquiry: { email }, level: Level.BASIC });
    expect(again.submission.status).toBe(Status.ACCEPTED);
  });

  it('leaves pending pre-underwriting to staff, since its outcome needs no applicant data', async () => {
    const enquiry = { creditScreening: { unsatisfiedCcjs: ScreeningResult.FAIL } };
    const terms = { preUnderwritingFailure: PreUnderwritingFailure.QUEUE_FOR_STAFF };
    const submitted = await allSubmitted.submit({ enquiry, terms });
    await service.work();
    await request(submitted.id);
    await service.erase();
    expect(await leftOf(submitted.id)).toEqual([]);
    await service.staff.completePreUnderwriting({
      submissionId: submitted.id,
      outcome: PreUnderwritingState.CLEARED,
    });
  });

  it('leaves no failing or parked work', async () => {
    const submitted = await allSubmitted.submit();
    await service.context.pool.query(
      'UPDATE submission SET work_attempts = 5, work_parked_at = now(), work_failure = $2 WHERE id = $1',
      [submitted.id, 'failed'],
    );
    await request(submitted.id);
    await service.erase();
    await service.work();
    const row = await service.context.db.submission.findUniqueOrThrow({ where: { id: submitted.id } });
    expect(row).toMatchObject({ workParkedAt: null, workFailure: null, applicationReference: null });
  });

  it('can be repeated, as after a restore, and then removes the restored data', async () => {
    const { id } = await service.submit({ level: Level.BASIC });
    await service.work();
    await request(id);
    await service.erase();
    await service.context.pool.query(
      "UPDATE submission SET enquiry = 'restored', erased_at = NULL WHERE id = $1",
      [id],
    );
    const again = await request(id);
    await service.erase();
    expect(await now(again)).toMatchObject({ state: ErasureState.COMPLETE });
    expect(await leftOf(id)).toEqual([]);
  });

  it('is audited for each submission, without applicant data: each step has the requester and purpose', async () => {
    const { id } = await service.submit({ level: Level.BASIC, enquiry: { lastName: 'Unmistakable' } });
    await service.work();
    const { erasureId } = await runInContext({ requestId: REQUEST_ID, traceParent: '' }, () => request(id));
    await service.erase();
    const entries = await service.context.db.auditEntry.findMany({
      where: { target: id },
      orderBy: { sequence: 'asc' },
    });
    const requestId = entries[0]?.requestId;
    const of = { ...PAT, purpose, requestId, after: { erasureId } };
    expect(entries).toMatchObject([
      { ...of, action: 'RequestErasure' },
      { ...of, action: 'EraseSubmission' },
    ]);
    expect(requestId).toBe(REQUEST_ID);
    const { actor: subject, issuer, roles } = PAT;
    const order = { requester: { subject, issuer, roles }, purpose };
    expect([others.orders.documents.at(-1), others.orders.deliveries.at(-1)]).toEqual([order, order]);
    expect(JSON.stringify(entries, (_, v) => (typeof v === 'bigint' ? `${v}` : v))).not.toContain('Unmist');
  });
});

describe('erasing an undecided applicant', () => {
  it('waits for the decision when a policy decides', async () => {
    const { id } = await service.submitUndecided();
    const asked = await request(id);
    await erasePeople.run(service.context);
    expect((await now(asked)).submissions).toMatchObject([
      { nextStep: ErasureStep.OWN_DATA, waitingFor: expect.stringContaining('in progress') },
    ]);
    await service.work();
    await dueNow();
    await service.erase();
    expect(await now(asked)).toMatchObject({ state: ErasureState.COMPLETE });
    expect(await service.statusOf(id)).toBe(Status.ACCEPTED);
  });

  it('rejects the submission when staff would decide, since they can no longer assess it', async () => {
    const { id } = await service.submit({ terms: { decisionMode: DecisionMode.STAFF } });
    const asked = await request(id);
    await service.erase();
    expect(await now(asked)).toMatchObject({ state: ErasureState.COMPLETE });
    const row = await service.context.db.submission.findUniqueOrThrow({ where: { id } });
    expect(row).toMatchObject({ status: Status.REJECTED, decisionRule: 'erasure', awaitsStaff: false });
    expect(await service.eventsOf(id)).toEqual(['SubmissionStatusChanged']);
  });

  it('rejects the submission when the decision has failed permanently, even with an unreadable enquiry', async () => {
    const { id } = await service.submitUndecided();
    await service.context.pool.query(
      "UPDATE submission SET enquiry = 'broken', work_attempts = 5, work_parked_at = now() WHERE id = $1",
      [id],
    );
    const asked = await request(id);
    await service.erase();
    expect(await now(asked)).toMatchObject({ state: ErasureState.COMPLETE });
    expect(await service.statusOf(id)).toBe(Status.REJECTED);
  });
});

describe('a legal hold', () => {
  it('prevents the erasure of a submission and the others in the request; the error names it', async () => {
    const [free, held] = [
      await service.submit({ level: Level.BASIC }),
      await service.submit({ level: Level.BASIC }),
    ];
    expect(await hold(held.id)).toMatchObject({ heldIds: [held.id] });
    expect(await hold(held.id)).toMatchObject({ heldIds: [] });
    expect(await messageOf(request(free.id, held.id))).toContain(`Submission ${held.id} is under legal hold`);
    await service.erase();
    expect(await leftOf(free.id)).not.toEqual([]);
    expect(await release(held.id)).toMatchObject({ releasedIds: [held.id] });
    expect(await release(held.id)).toMatchObject({ releasedIds: [] });
    const { auditEntry } = service.context.db;
    const acts = await auditEntry.findMany({ where: { target: held.id }, orderBy: { sequence: 'asc' } });
    expect(acts).toMatchObject([
      { actor: 'pat', action: 'HoldSubmissions', purpose: 'claim 19' },
      { actor: 'pat', action: 'ReleaseHold', purpose: 'claim 19 is settled' },
    ]);
    await request(free.id, held.id);
  });

  it('is reported to the document service by reference, without other submissions', async () => {
    const accountId = newId<AccountId>();
    const [held, free] = [
      await service.submit({ accountId, externalReference: 'held' }),
      await service.submit({ accountId, externalReference: 'free' }),
    ];
    await service.submit({ externalReference: 'held' });
    await hold(held.id);
    const { PRODUCTION, SANDBOX } = Environment;
    const asked = [
      { accountId, environment: PRODUCTION, externalReference: 'held' },
      { accountId, environment: PRODUCTION, externalReference: 'free' },
      { accountId, environment: PRODUCTION, externalReference: 'unknown' },
      { accountId, environment: SANDBOX, externalReference: 'held' },
      { accountId: newId<AccountId>(), environment: PRODUCTION, externalReference: 'held' },
    ];
    const list = () => service.as('document').listHeld({ references: asked });
    expect((await list()).references).toMatchObject([asked[0]]);
    await hold(free.id);
    await release(held.id);
    expect((await list()).references).toMatchObject([asked[1]]);
  });

  it('stops an erasure that has not started, which continues after the release', async () => {
    const { id } = await service.submit({ level: Level.BASIC });
    await service.work();
    const asked = await request(id);
    await hold(id);
    await service.erase();
    expect((await now(asked)).submissions).toMatchObject([
      { nextStep: ErasureStep.OWN_DATA, waitingFor: expect.stringContaining('legal hold') },
    ]);
    expect(await leftOf(id)).toContain('enquiry');
    await release(id);
    await service.erase();
    expect(await now(asked)).toMatchObject({ state: ErasureState.COMPLETE });
  });

  it('is rejected for erased and unknown submissions', async () => {
    const { id } = await service.submit({ level: Level.BASIC });
    await service.work();
    await request(id);
    await service.erase();
    expect(await refusalTo(hold(id))).toMatchObject({ code: RefusalCode.WRONG_STATE });
    expect(await refusalTo(hold(newId<SubmissionId>()))).toMatchObject({ code: RefusalCode.NOT_FOUND });
  });

  it('and a concurrent erasure exclude each other', async () => {
    for (let n = 0; n < 8; n += 1) {
      const { id } = await service.submit({ level: Level.BASIC });
      await service.work();
      await request(id);
      const [held] = await Promise.allSettled([hold(id), service.erase()]);
      const isErased = (await leftOf(id)).length === 0;
      expect(held.status === 'fulfilled').toBe(!isErased);
      await release(id);
      await service.erase();
    }
  });
});

describe('a request for erasure', () => {
  it('returns the existing erasure of a submission', async () => {
    const { id } = await service.submit({ terms: { decisionMode: DecisionMode.STAFF } });
    await hold(id);
    await release(id);
    const { erasureId } = await request(id);
    expect(await messageOf(request(id))).toContain(`by erasure ${erasureId}`);
    await service.erase();
  });

  it('is rejected for an unknown submission or an invalid id, and erases nothing', async () => {
    const { id } = await service.submit();
    const unknown = newId<SubmissionId>();
    expect(await refusalTo(request(id, unknown))).toMatchObject({ code: RefusalCode.NOT_FOUND });
    expect(await messageOf(request(id, unknown))).toContain(unknown);
    expect(
      await refusalTo(service.privacy.requestErasure({ submissionIds: ['nobody'], purpose })),
    ).toMatchObject({ code: RefusalCode.VALIDATION_ERROR });
    await service.work();
    expect(await service.context.db.erasureSubmission.count({ where: { submissionId: id } })).toBe(0);
  });

  it('is listed page by page, newest first, before and after it is complete', async () => {
    const submitted = [await service.submit(), await service.submit(), await service.submit()];
    await service.work();
    const asked: Erasure[] = [];
    for (const { id } of submitted) asked.unshift(await request(id));
    const since = asked.at(-1)?.requestedAt as Timestamp;
    const isAsked = (id: string) => asked.some(({ erasureId }) => erasureId === id);
    const listed = async (inProgress: boolean, pageToken = ''): Promise<ListedErasure[]> => {
      const page = await service.privacy.listErasures({ inProgress, since, pageSize: 1, pageToken });
      expect(page.erasures.length).toBeLessThanOrEqual(1);
      const rest = page.nextPageToken === '' ? [] : await listed(inProgress, page.nextPageToken);
      // Those of other tests in this file have the same time.
      return [...page.erasures.filter(({ erasureId }) => isAsked(erasureId)), ...rest];
    };
    const row = (state: ErasureState, completed: number) =>
      asked.map(({ erasureId, submissions }) => {
        const submissionIds = submissions.map(({ submissionId }) => submissionId);
        return expect.objectContaining({ erasureId, state, submissions: 1, completed, submissionIds });
      });
    expect(await listed(true)).toEqual(row(ErasureState.IN_PROGRESS, 0));
    await service.erase();
    expect(await listed(true)).toEqual([]);
    expect(await listed(false)).toEqual(row(ErasureState.COMPLETE, 1));
  });
});
