import { randomBytes } from 'node:crypto';
import { fromBinary } from '@bufbuild/protobuf';
import { inTransaction } from '@supplier/lib/data/postgres';
import { RefusalCode, refusalOf } from '@supplier/lib/rpc/refusal';
import { forAllTests, refusalTo } from '@supplier/lib/testing';
import { type AccountId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { EnquirySchema, ScreeningResult } from '@supplier/proto/common/v1/enquiry';
import { ApplicationMinting, DecisionMode } from '@supplier/proto/common/v1/principal';
import { Environment, Level, Status } from '@supplier/proto/common/v1/status';
import { basicSubmissions } from '../../testing/basic-submissions.ts';
import { type EnquiryInit, newCompanyNumber, sampleEnquiry } from '../../testing/sample-enquiry.ts';
import { openTestService } from '../../testing/test-service.ts';
import { snapshotAad } from '../model/associated-data.ts';
import { eraseSubmission } from '../privacy/erase-submission.sql.ts';

const service = forAllTests(() => openTestService());
const submissions = basicSubmissions(service);

const onPromotion = { terms: { applicationMinting: ApplicationMinting.ON_PROMOTION } };
const created = (id: SubmissionId) => service.context.db.application.count({ where: { submissionId: id } });
const rowOf = (id: SubmissionId) =>
  service.context.db.submission.findUniqueOrThrow({ where: { id }, include: { application: true } });
const snapshotOf = async (id: SubmissionId) => {
  const { application } = await rowOf(id);
  return fromBinary(EnquirySchema, service.context.keyRing.open(application!.snapshot!, snapshotAad(id)));
};

describe('the Application of an accepted basic submission', () => {
  it('is minted once, even after several requests, and without a change of status', async () => {
    const { id } = await submissions.submit();
    await Promise.all(Array.from({ length: 8 }, () => submissions.mint()));
    const row = await rowOf(id);
    expect(row.applicationReference).toMatch(/^APP-/);
    expect(row).toMatchObject({ level: Level.BASIC, status: Status.ACCEPTED, version: 1n });
    expect(row.application).toMatchObject({
      reference: row.applicationReference,
      createdAt: row.applicationCreatedAt,
    });
    expect(await service.eventsOf(id)).toEqual(['SubmissionStatusChanged']);
  });

  it('is minted automatically, unless the terms leave it to the promotion', async () => {
    const submitted = await submissions.submit();
    const waiting = await submissions.submit(onPromotion);
    await submissions.mint();
    expect((await rowOf(submitted.id)).applicationReference).not.toBeNull();
    expect((await rowOf(waiting.id)).applicationReference).toBeNull();
  });

  it('is not minted for a submission that was not accepted', async () => {
    const { id } = await submissions.submit({ terms: { decisionMode: DecisionMode.STAFF } });
    await submissions.mint();
    expect(await created(id)).toBe(0);
  });
});

describe('PromoteSubmission', () => {
  it('mints with the submitted data, overridden by the promotion', async () => {
    const submitted = await submissions.submit({
      ...onPromotion,
      enquiry: { firstName: 'Basic', notes: 'kept', companyNumber: '77' },
    });
    const status = await submissions.promote(submitted, {
      enquiry: { firstName: 'Promoted', marketing: false },
    });
    expect(status).toMatchObject({ level: Level.BASIC, status: Status.ACCEPTED });
    expect(status.applicationReference).toMatch(/^APP-/);
    expect(status.applicationCreatedAt).toBeDefined();
    expect(await snapshotOf(submitted.id)).toMatchObject({
      firstName: 'Promoted',
      notes: 'kept',
      companyNumber: '77',
      marketing: false,
    });
    expect(await service.eventsOf(submitted.id)).toEqual(['SubmissionStatusChanged']);
  });

  it('creates exactly one Application, even concurrently with other promotions and the mint', async () => {
    const submitted = await submissions.submit();
    const all = await Promise.allSettled([
      ...Array.from({ length: 10 }, () => submissions.promote(submitted)),
      ...Array.from({ length: 4 }, () => submissions.mint()),
    ]);
    expect(await created(submitted.id)).toBe(1);
    const { applicationReference } = await rowOf(submitted.id);
    const refused = all.flatMap((one) => (one.status === 'rejected' ? [refusalOf(one.reason)] : []));
    expect(refused.length).toBeGreaterThanOrEqual(9);
    for (const one of refused) {
      expect(one).toMatchObject({ code: RefusalCode.CONCURRENT_PROMOTION, applicationReference });
    }
  });

  it('returns the same for any number of identical promotions, also later', async () => {
    const submitted = await submissions.submit(onPromotion);
    const same = { key: 'promotion-key', body: randomBytes(32) };
    const all = await Promise.all(Array.from({ length: 12 }, () => submissions.promote(submitted, same)));
    expect(new Set(all.map(({ applicationReference }) => applicationReference)).size).toBe(1);
    expect(await created(submitted.id)).toBe(1);
    expect((await submissions.promote(submitted, same)).applicationReference).toBe(
      all[0]?.applicationReference,
    );
  });

  it('rejects a used key with a different body or for a different submission', async () => {
    const submitted = await submissions.submit(onPromotion);
    const other = await submissions.submit({ ...onPromotion, accountId: submitted.accountId });
    const body = randomBytes(32);
    await submissions.promote(submitted, { key: 'used-once', body });
    const conflict = { code: RefusalCode.IDEMPOTENCY_CONFLICT };
    expect(await refusalTo(submissions.promote(submitted, { key: 'used-once' }))).toMatchObject(conflict);
    expect(await refusalTo(submissions.promote(other, { key: 'used-once', body }))).toMatchObject(conflict);
    expect(
      (await submissions.promote(other, { key: 'another-key', body })).applicationReference,
    ).toBeDefined();
  });

  it('gives a key to one of two submissions that are promoted with it concurrently', async () => {
    const submitted = await submissions.submit(onPromotion);
    const other = await submissions.submit({ ...onPromotion, accountId: submitted.accountId });
    const all = await Promise.allSettled(
      [submitted, other].map((one) => submissions.promote(one, { key: 'shared-key' })),
    );
    expect(all.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect((await created(submitted.id)) + (await created(other.id))).toBe(1);
  });

  it('releases the key of a rejected promotion', async () => {
    const submitted = await submissions.submit({ terms: { decisionMode: DecisionMode.STAFF } });
    const early = { key: 'too-early', body: randomBytes(32) };
    await refusalTo(submissions.promote(submitted, early));
    await service.context.db.submission.update({
      where: { id: submitted.id },
      data: { awaitsStaff: false },
    });
    await service.decide(submitted.id);
    expect((await submissions.promote(submitted, early)).applicationReference).toBeDefined();
  });

  it('rejects a submission that is not basic or not accepted, by its id', async () => {
    const accountId = newId<AccountId>();
    const { id } = await service.submit({ accountId });
    await service.decide(id);
    const received = await submissions.submit({ terms: { decisionMode: DecisionMode.STAFF } });
    for (const submitted of [{ id, accountId }, received]) {
      expect(await refusalTo(submissions.promote(submitted))).toMatchObject({
        code: RefusalCode.VALIDATION_ERROR,
        violations: [{ path: 'submission_id' }],
      });
    }
  });

  it('rejects submissions of another supplier or environment as if they did not exist', async () => {
    const submitted = await submissions.submit();
    const sandbox = await submissions.submit({ environment: Environment.SANDBOX });
    const nobody = { id: newId<SubmissionId>(), accountId: submitted.accountId };
    const answers = await Promise.all([
      refusalTo(submissions.promote(submitted, { accountId: newId<AccountId>() })),
      refusalTo(submissions.promote(sandbox)),
      refusalTo(submissions.promote(nobody)),
    ]);
    expect(answers[0]).toMatchObject({ code: RefusalCode.NOT_FOUND });
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
  });

  it('requires its mandatory fields, and leaves the rest optional', async () => {
    const submitted = await submissions.submit(onPromotion);
    const refused = await refusalTo(
      submissions.promote(submitted, {
        enquiry: { email: undefined, privacyInformation: undefined, marketing: undefined },
      }),
    );
    expect(refused?.violations.map(({ path }) => path)).toEqual([
      'email',
      'privacy_information',
      'marketing',
    ]);
    const open = { businessStructure: 0, businessSector: 0, tradingDuration: 0, fundingPurpose: 0 };
    expect((await submissions.promote(submitted, { enquiry: open })).applicationReference).toBeDefined();
  });

  it('is pre-underwritten on its stated data', async () => {
    const submitted = await submissions.submit(onPromotion);
    const creditScreening = { provider: 'p', insolvencyOrWindingUp: ScreeningResult.FAIL };
    await submissions.promote(submitted, { enquiry: { creditScreening } });
    await service.work();
    expect(await service.statusOf(submitted.id)).toBe(Status.RETURNED);
    expect(await refusalTo(submissions.promote(submitted))).toMatchObject({
      code: RefusalCode.VALIDATION_ERROR,
    });
  });
});

describe('the customer of a promotion', () => {
  const person = () => {
    const stated = sampleEnquiry();
    return { telephone: stated.telephone, email: stated.email, companyNumber: newCompanyNumber() };
  };
  const only = async (stated: EnquiryInit) =>
    (await submissions.submit({ enquiry: { email: undefined, preferredContactMethod: 2, ...stated } }))
      .submission.status;

  it('is matched by the promotion and the original submission from then on', async () => {
    const [received, promoted] = [person(), person()];
    const submitted = await submissions.submit({ ...onPromotion, enquiry: received });
    expect(await only({ companyNumber: promoted.companyNumber })).toBe(Status.ACCEPTED);
    const again = person();
    await submissions.promote(submitted, { enquiry: again });
    for (const { telephone, email, companyNumber } of [received, again]) {
      expect(await only({ telephone })).toBe(Status.DUPLICATE_NOT_ACCEPTED);
      expect(await only({ email })).toBe(Status.DUPLICATE_NOT_ACCEPTED);
      expect(await only({ companyNumber })).toBe(Status.DUPLICATE_NOT_ACCEPTED);
    }
  });

  it('has the company of the promotion: another company with the same telephone is another customer', async () => {
    const { telephone } = person();
    const submitted = await submissions.submit({ ...onPromotion, enquiry: { telephone } });
    await submissions.promote(submitted, { enquiry: { telephone, companyNumber: newCompanyNumber() } });
    expect(await only({ telephone, companyNumber: newCompanyNumber() })).toBe(Status.ACCEPTED);
  });

  it('is not matched by the values of a correction', async () => {
    const submitted = await submissions.submit(onPromotion);
    const { telephone, email } = person();
    await submissions.correct(submitted, 0, { telephone, email });
    await submissions.promote(submitted);
    expect(await only({ telephone, email })).toBe(Status.ACCEPTED);
  });

  it('is contacted as the promotion states; the revision counts only corrections', async () => {
    const submitted = await submissions.submit({ ...onPromotion, enquiry: { firstName: 'Basic' } });
    await submissions.correct(submitted, 0, { firstName: 'Corrected', preferredContactMethod: 2 });
    const { telephone, email } = person();
    await submissions.promote(submitted, {
      enquiry: { firstName: 'Promoted', telephone, email, preferredContactMethod: 0 },
    });
    const read = () => service.staff.readEnquiry({ submissionId: submitted.id, purpose: 'read by a test' });
    expect((await read()).contact).toMatchObject({
      firstName: 'Promoted',
      telephone,
      email,
      preferredContactMethod: 2,
      revision: 1n,
    });
    await submissions.correct(submitted, 1, { lastName: 'Later' });
    expect((await read()).contact).toMatchObject({ firstName: 'Promoted', lastName: 'Later', revision: 2n });
  });

  it('is not matched for sandbox simulations', async () => {
    const accountId = newId<AccountId>();
    const sandbox = { accountId, environment: Environment.SANDBOX, ...onPromotion } as const;
    const submitted = await submissions.submit({
      ...sandbox,
      enquiry: { businessName: 'Sandbox Accept Ltd' },
    });
    const { telephone } = person();
    await service.onBehalfOf(sandbox).promoteSubmission({
      submissionId: submitted.id,
      operationIdempotencyKey: newId(),
      enquiry: sampleEnquiry({ telephone }),
      bodyFingerprint: randomBytes(32),
    });
    const later = await submissions.submit({ ...sandbox, enquiry: { telephone } });
    expect(later.submission.status).toBe(Status.ACCEPTED);
  });

  it('is matched within the window from the promotion, regardless of the age of the submission', async () => {
    try {
      service.at('2026-08-01T10:00:00Z');
      const submitted = await submissions.submit(onPromotion);
      service.at('2026-11-19T10:00:00Z');
      const { telephone } = person();
      await submissions.promote(submitted, { enquiry: { telephone } });
      service.at('2026-11-20T10:00:00Z');
      expect(await only({ telephone })).toBe(Status.DUPLICATE_NOT_ACCEPTED);
      service.at('2027-02-18T10:00:00Z');
      expect(await only({ telephone })).toBe(Status.ACCEPTED);
    } finally {
      service.at('2026-11-20T10:00:00Z');
    }
  });

  it('does not affect submissions received before the promotion, even if decided later', async () => {
    try {
      const submitted = await submissions.submit(onPromotion);
      const { telephone } = person();
      const { id } = await service.submitUndecided({ enquiry: { telephone } });
      service.at('2026-11-20T10:00:01Z');
      await submissions.promote(submitted, { enquiry: { telephone } });
      expect(await service.statusOf(id)).toBe(Status.RECEIVED);
      await service.decide(id);
      expect(await service.statusOf(id)).toBe(Status.ACCEPTED);
    } finally {
      service.at('2026-11-20T10:00:00Z');
    }
  });

  it('is deleted by an erasure', async () => {
    const submitted = await submissions.submit(onPromotion);
    await submissions.promote(submitted);
    await inTransaction(service.context.pool, (tx) => eraseSubmission(tx, submitted.id, new Date()));
    const { rows } = await service.context.pool.query('SELECT FROM promoted_keys WHERE submission_id = $1', [
      submitted.id,
    ]);
    expect(rows).toEqual([]);
  });

  it('is not matched after an erasure, even if rows remain', async () => {
    const submitted = await submissions.submit(onPromotion);
    const { telephone } = person();
    await submissions.promote(submitted, { enquiry: { telephone } });
    await inTransaction(service.context.pool, async (tx) => {
      // As on a database whose triggers did not run.
      await tx.query('SET LOCAL session_replication_role = replica');
      await tx.query('UPDATE submission SET erased_at = now(), decision_reason = NULL WHERE id = $1', [
        submitted.id,
      ]);
    });
    expect(await only({ telephone })).toBe(Status.ACCEPTED);
  });
});
