import { randomBytes } from 'node:crypto';
import { fromBinary } from '@bufbuild/protobuf';
import { RefusalCode, refusalOf } from '@supplier/lib/rpc/refusal';
import { forAllTests, refusalTo } from '@supplier/lib/testing';
import { type AccountId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { EnquirySchema, PreferredContactMethod } from '@supplier/proto/common/v1/enquiry';
import { ApplicationMinting, DecisionMode } from '@supplier/proto/common/v1/principal';
import { Environment, Status } from '@supplier/proto/common/v1/status';
import { ContactSchema } from '@supplier/proto/submission/v1/submission';
import { type BasicSubmission, basicSubmissions } from '../../testing/basic-submissions.ts';
import { openTestService } from '../../testing/test-service.ts';
import { contactAad, correctionAad, snapshotAad } from '../model/associated-data.ts';

const service = forAllTests(() => openTestService());
const submissions = basicSubmissions(service);

const rowOf = (id: SubmissionId) =>
  service.context.db.submission.findUniqueOrThrow({ where: { id }, include: { application: true } });
const historyOf = async (id: SubmissionId) => {
  const rows = await service.context.db.contactCorrection.findMany({
    where: { submissionId: id },
    orderBy: { revision: 'asc' },
  });
  return rows.map(({ revision, contact }) => {
    const { $typeName, $unknown, ...fields } = fromBinary(
      ContactSchema,
      service.context.keyRing.open(contact!, correctionAad(id, revision)),
    );
    return { revision, ...fields };
  });
};

describe('CorrectContact', () => {
  it('counts revisions from 0 and keeps each correction, sealed, next to the current contact', async () => {
    const submitted = await submissions.submit();
    await submissions.correct(submitted, 0, { firstName: 'Grace', email: 'first@example.test' });
    const status = await submissions.correct(submitted, 1, { email: 'second@example.test' });
    expect(status).toMatchObject({ submissionId: submitted.id, status: Status.ACCEPTED });
    const row = await rowOf(submitted.id);
    expect(row.revision).toBe(2);
    const contact = service.context.keyRing.open(row.contact!, contactAad(submitted.id));
    expect(fromBinary(ContactSchema, contact)).toMatchObject({
      firstName: 'Grace',
      email: 'second@example.test',
    });
    expect(await historyOf(submitted.id)).toEqual([
      { revision: 1, firstName: 'Grace', email: 'first@example.test', preferredContactMethod: 0 },
      { revision: 2, email: 'second@example.test', preferredContactMethod: 0 },
    ]);
    const { rows } = await service.context.pool.query(
      'SELECT c::text AS text FROM contact_correction c WHERE submission_id = $1',
      [submitted.id],
    );
    for (const { text } of rows) {
      expect(text).not.toContain(Buffer.from('second@').toString('hex'));
    }
  });

  it('sends no event and leaves the match keys unchanged', async () => {
    const submitted = await submissions.submit();
    const before = await rowOf(submitted.id);
    await submissions.correct(submitted, 0, { telephone: '07911 555111', email: 'other@example.test' });
    const { telephoneHash, emailHash, version, changedAt } = before;
    expect(await rowOf(submitted.id)).toMatchObject({ telephoneHash, emailHash, version, changedAt });
    expect(await service.eventsOf(submitted.id)).toEqual(['SubmissionStatusChanged']);
  });

  it('applies one of several concurrent corrections and returns the current revision to the others', async () => {
    const submitted = await submissions.submit();
    const all = await Promise.allSettled(
      Array.from({ length: 12 }, (_, i) => submissions.correct(submitted, 0, { firstName: `Name ${i}` })),
    );
    const refused = all.flatMap((one) => (one.status === 'rejected' ? [refusalOf(one.reason)] : []));
    expect(refused).toHaveLength(11);
    for (const one of refused) {
      expect(one).toMatchObject({ code: RefusalCode.REVISION_CONFLICT, currentRevision: 1n });
    }
    expect(await historyOf(submitted.id)).toHaveLength(1);
  });

  it('applies a repeated correction only once, even after later corrections', async () => {
    const submitted = await submissions.submit();
    const same = { key: 'correction', body: randomBytes(32) };
    const repeat = () => submissions.correct(submitted, 0, { firstName: 'Once' }, same);
    await Promise.all(Array.from({ length: 8 }, repeat));
    await submissions.correct(submitted, 1, { firstName: 'Later' });
    expect((await repeat()).submissionId).toBe(submitted.id);
    expect((await rowOf(submitted.id)).revision).toBe(2);
  });

  it('rejects a used key with a different correction, and releases the key of a rejected correction', async () => {
    const submitted = await submissions.submit();
    const stale = { key: 'stale-key', body: randomBytes(32) };
    expect(await refusalTo(submissions.correct(submitted, 1, { firstName: 'Early' }, stale))).toMatchObject({
      code: RefusalCode.REVISION_CONFLICT,
      currentRevision: 0n,
    });
    await submissions.correct(submitted, 0, { firstName: 'First' });
    await submissions.correct(submitted, 1, { firstName: 'Early' }, stale);
    expect(
      await refusalTo(submissions.correct(submitted, 2, { firstName: 'Other' }, { key: 'stale-key' })),
    ).toMatchObject({
      code: RefusalCode.IDEMPOTENCY_CONFLICT,
    });
    expect((await rowOf(submitted.id)).revision).toBe(2);
  });

  it('does not share idempotency keys with promotion', async () => {
    const submitted = await submissions.submit({
      terms: { applicationMinting: ApplicationMinting.ON_PROMOTION },
    });
    await submissions.correct(submitted, 0, { firstName: 'Grace' }, { key: 'one-key-for-all' });
    expect(
      (await submissions.promote(submitted, { key: 'one-key-for-all' })).applicationReference,
    ).toBeDefined();
  });

  it('accepts only basic submissions that are received or accepted', async () => {
    const accountId = newId<AccountId>();
    const { id } = await service.submit({ accountId });
    const received = await submissions.submit({ terms: { decisionMode: DecisionMode.STAFF } });
    const rejected = await submissions.submit({
      environment: Environment.PRODUCTION,
      terms: { thresholds: { minimumFundingAmount: 9_000_000 } },
    });
    await submissions.correct(received, 0, { firstName: 'Grace' });
    for (const submitted of [{ id, accountId }, rejected]) {
      expect(await refusalTo(submissions.correct(submitted, 0, { firstName: 'Grace' }))).toMatchObject({
        code: RefusalCode.VALIDATION_ERROR,
        violations: [{ path: 'submission_id' }],
      });
    }
  });

  it('requires at least one contact field', async () => {
    const submitted = await submissions.submit();
    const refused = await refusalTo(submissions.correct(submitted, 0, {}));
    expect(refused?.code).toBe(RefusalCode.VALIDATION_ERROR);
    expect(refused?.violations).toHaveLength(5);
    await submissions.correct(submitted, 0, { preferredContactMethod: 2 });
    expect((await rowOf(submitted.id)).revision).toBe(1);
  });

  it("rejects another supplier's submission as if it did not exist", async () => {
    const submitted = await submissions.submit();
    const nobody = { id: newId<SubmissionId>(), accountId: submitted.accountId };
    const theirs = await refusalTo(
      submissions.correct(submitted, 0, { firstName: 'Eve' }, { accountId: newId<AccountId>() }),
    );
    expect(theirs).toMatchObject({ code: RefusalCode.NOT_FOUND });
    expect(await refusalTo(submissions.correct(nobody, 0, { firstName: 'Eve' }))).toEqual(theirs);
  });

  it('does not change an existing Application snapshot, and is included in a later one', async () => {
    const enquiry = { firstName: 'Ada', lastName: 'Sample' };
    const before = await submissions.submit({ enquiry });
    await submissions.mint();
    await submissions.correct(before, 0, { firstName: 'Grace' });
    const after = await submissions.submit({ enquiry });
    await submissions.correct(after, 0, { firstName: 'Grace' });
    await submissions.mint();
    expect(await snapshotNames(before)).toEqual(['Ada', 'Sample']);
    expect(await snapshotNames(after)).toEqual(['Grace', 'Sample']);
  });
});

describe('GetApplication', () => {
  it('returns the corrected contact before and after the Application exists, next to its frozen snapshot', async () => {
    const submitted = await submissions.submit({ enquiry: { firstName: 'Ada', email: 'ada@example.test' } });
    await submissions.correct(submitted, 0, { firstName: 'Grace' });
    await submissions.mint();
    await submissions.correct(submitted, 1, { email: 'grace@example.test' });
    await submissions.correct(submitted, 2, { email: 'hopper@example.test', telephone: '07911 555111' });
    const seen = await service.staff.getApplication({
      purpose: 'read by a test',
      submissionId: submitted.id,
    });
    expect(seen.snapshot).toMatchObject({ firstName: 'Grace', email: 'ada@example.test' });
    expect(seen.workingContact).toMatchObject({
      firstName: 'Grace',
      email: 'hopper@example.test',
      telephone: '07911 555111',
    });
    expect(seen.contactCorrections).toMatchObject([
      { revision: 1n, contact: { firstName: 'Grace' } },
      { revision: 2n, contact: { email: 'grace@example.test' } },
      { revision: 3n, contact: { email: 'hopper@example.test', telephone: '07911 555111' } },
    ]);
    for (const { correctedAt } of seen.contactCorrections) expect(correctedAt).toBeDefined();
    await service.context.pool.query(
      'UPDATE contact_correction SET contact = NULL WHERE submission_id = $1 AND revision = 1',
      [submitted.id],
    );
    const [erased] = (
      await service.staff.getApplication({ purpose: 'read by a test', submissionId: submitted.id })
    ).contactCorrections;
    expect(erased).toMatchObject({ revision: 1n });
    expect(erased?.contact).toBeUndefined();
  });

  it('returns the latest 100 corrections, oldest first, and none for an uncorrected contact', async () => {
    const submitted = await submissions.submit();
    await submissions.mint();
    const seen = await service.staff.getApplication({
      purpose: 'read by a test',
      submissionId: submitted.id,
    });
    expect(seen).toMatchObject({ contactCorrections: [] });
    expect(seen.workingContact).toBeUndefined();
    for (let revision = 0; revision < 102; revision += 1) {
      await submissions.correct(submitted, revision, { firstName: `Name ${revision + 1}` });
    }
    const { contactCorrections } = await service.staff.getApplication({
      purpose: 'read by a test',
      submissionId: submitted.id,
    });
    expect(contactCorrections.map(({ revision }) => Number(revision))).toEqual(
      Array.from({ length: 100 }, (_, place) => place + 3),
    );
  });
});

it('the contact history is append-only, except for erasure', async () => {
  const { pool } = service.context;
  const submitted = await submissions.submit();
  await submissions.correct(submitted, 0, { firstName: 'Grace' });
  const only = 'WHERE submission_id = $1';
  await expect(
    pool.query(`UPDATE contact_correction SET corrected_at = now() ${only}`, [submitted.id]),
  ).rejects.toThrow('only ever added');
  await expect(
    pool.query(`UPDATE contact_correction SET contact = '\\x00' ${only}`, [submitted.id]),
  ).rejects.toThrow('only ever added');
  await expect(pool.query(`DELETE FROM contact_correction ${only}`, [submitted.id])).rejects.toThrow(
    'only ever added',
  );
  await pool.query(`UPDATE contact_correction SET contact = NULL ${only}`, [submitted.id]);
});

async function snapshotNames({ id }: BasicSubmission) {
  const { application } = await rowOf(id);
  const snapshot = service.context.keyRing.open(application!.snapshot!, snapshotAad(id));
  const { firstName, lastName } = fromBinary(EnquirySchema, snapshot);
  return [firstName, lastName];
}

describe('correcting the preferred contact method', () => {
  const email = { preferredContactMethod: PreferredContactMethod.EMAIL };

  it('requires an email address when the method is email: in the same correction, an earlier one, or the create', async () => {
    const enquiry = { email: undefined, preferredContactMethod: 0 };
    const submitted = await submissions.submit({ enquiry });
    expect(await submissions.correct(submitted, 0, email).then(() => undefined, refusalOf)).toMatchObject({
      code: RefusalCode.VALIDATION_ERROR,
      violations: [{ path: 'email', message: 'is required' }],
    });
    await submissions.correct(submitted, 0, { ...email, email: 'ada@example.test' });
    await submissions.correct(submitted, 1, { preferredContactMethod: PreferredContactMethod.PHONE });
    await submissions.correct(submitted, 2, email);
    await submissions.correct(await submissions.submit(), 0, email);
  });
});
