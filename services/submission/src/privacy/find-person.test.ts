import { randomBytes } from 'node:crypto';
import { KeyRing } from '@supplier/lib/data/crypto';
import { RefusalCode, refusalOf } from '@supplier/lib/rpc/refusal';
import { forAllTests } from '@supplier/lib/testing';
import { newId, type SubmissionId } from '@supplier/lib/text/ids';
import { DecisionMode } from '@supplier/proto/common/v1/principal';
import { Environment, Level, Status } from '@supplier/proto/common/v1/status';
import { PersonMatch } from '@supplier/proto/submission/v1/privacy';
import { basicSubmissions } from '../../testing/basic-submissions.ts';
import { newCompanyNumber } from '../../testing/sample-enquiry.ts';
import { openTestService } from '../../testing/test-service.ts';
import { FIND_PERSON, personParameters } from './find-person.sql.ts';

const service = forAllTests(() => openTestService());
const allSubmitted = basicSubmissions(service);

const purpose = 'subject access request 17';
const someone = () => ({
  email: `${newId()}@example.test`,
  telephone: `079${newId().replace(/\D/g, '').slice(-8).padStart(8, '1')}`,
});
const found = async (by: { email?: string; telephone?: string }) =>
  (await service.privacy.findPerson({ ...by, purpose })).submissions.map(({ submissionId }) => submissionId);
const sorted = (ids: SubmissionId[]) => [...ids].sort().reverse();

describe('FindPerson', () => {
  it('finds a person, in any spelling, in every account, environment, level and status, newest first', async () => {
    const { email, telephone } = someone();
    const enquiry = { email, telephone, companyNumber: newCompanyNumber() };
    const production = await service.submit({ enquiry });
    await service.decide(production.id);
    const duplicate = await service.submit({ enquiry });
    await service.decide(duplicate.id);
    const sandbox = await service.submit({ enquiry, environment: Environment.SANDBOX, level: Level.BASIC });
    const waiting = await service.submit({ enquiry, terms: { decisionMode: DecisionMode.STAFF } });
    expect(await service.statusOf(duplicate.id)).toBe(Status.DUPLICATE_NOT_ACCEPTED);

    const all = sorted([production.id, duplicate.id, sandbox.id, waiting.id]);
    expect(await found({ email: ` ${email.toUpperCase()} ` })).toEqual(all);
    expect(await found({ telephone: `+44 (0)${telephone.slice(1)}` })).toEqual(all);
    const { submissions } = await service.privacy.findPerson({ email, purpose });
    expect(submissions.find(({ submissionId }) => submissionId === duplicate.id)).toMatchObject({
      status: Status.DUPLICATE_NOT_ACCEPTED,
      environment: Environment.PRODUCTION,
      held: false,
      erasureId: '',
    });
  });

  it('returns the matching fields and a masked contact, so that people are not confused', async () => {
    const { email, telephone } = someone();
    const her = await service.submit({ enquiry: { email, telephone, firstName: 'Ada', lastName: 'Smith' } });
    const him = await service.submit({
      enquiry: { ...someone(), telephone, firstName: 'Bob', lastName: 'Jones' },
    });
    const submission = await allSubmitted.submit({
      enquiry: { ...someone(), firstName: 'Cleo', lastName: 'Roe' },
    });
    await allSubmitted.correct(submission, 0, { email, lastName: 'Zed' });
    const { submissions } = await service.privacy.findPerson({ email, telephone, purpose });
    const { EMAIL, TELEPHONE } = PersonMatch;
    const matched = Object.fromEntries(
      submissions.map(({ submissionId, matched, contact }) => [
        submissionId,
        [contact?.initials, ...matched],
      ]),
    );
    expect(matched).toEqual({
      [her.id]: ['A. S.', EMAIL, TELEPHONE],
      [him.id]: ['B. J.', TELEPHONE],
      [submission.id]: ['C. Z.', EMAIL],
    });
    expect(submissions.find(({ submissionId }) => submissionId === her.id)?.contact).toMatchObject({
      telephoneEnding: telephone.slice(-3),
      email: `${email[0]}…@example.test`,
    });
  });

  it('finds a person by the received contact, every correction, and the promotion', async () => {
    const [first, second, third] = [someone(), someone(), someone()];
    const submission = await allSubmitted.submit({ enquiry: first, terms: { applicationMinting: 2 } });
    await service.decide(submission.id);
    await allSubmitted.correct(submission, 0, { email: second.email });
    await allSubmitted.correct(submission, 1, { telephone: second.telephone });
    await allSubmitted.promote(submission, { enquiry: third });
    for (const { email, telephone } of [first, second, third]) {
      expect([email, await found({ email })]).toEqual([email, [submission.id]]);
      expect([telephone, await found({ telephone })]).toEqual([telephone, [submission.id]]);
    }
  });

  it('rejects values that cannot identify a person, with a reason', async () => {
    await service.submit({ enquiry: { email: 'n/a', telephone: '0' } });
    for (const by of [{ email: 'n/a' }, { telephone: '0' }, { telephone: 'unknown' }, { email: ' ' }]) {
      const [path] = Object.keys(by);
      expect(await found(by).then(() => undefined, refusalOf)).toMatchObject({
        code: RefusalCode.VALIDATION_ERROR,
        violations: [{ path, message: expect.stringContaining('must identify one person') }],
      });
    }
  });

  it('does not make a corrected contact a duplicate: decisions use the received data', async () => {
    const [first, second] = [someone(), someone()];
    const submission = await allSubmitted.submit({ enquiry: first });
    await allSubmitted.correct(submission, 0, second);
    const other = await allSubmitted.submit({ enquiry: second });
    expect(await service.statusOf(other.id)).toBe(Status.ACCEPTED);
  });

  it('finds data stored with any digest key in the ring, including corrections', async () => {
    const key = () => randomBytes(32).toString('base64');
    const [k1, d1, d2] = [key(), key(), key()];
    const ring = (primaryDigestKey: string, digestKeys: object) =>
      KeyRing.fromJson(JSON.stringify({ primary: 'k1', keys: { k1 }, primaryDigestKey, digestKeys }));
    const before = await openTestService({ beside: service, keyRing: ring('d1', { d1 }) });
    const after = await openTestService({ beside: service, keyRing: ring('d2', { d1, d2 }) });
    try {
      const [first, second] = [someone(), someone()];
      const submission = await basicSubmissions(before).submit({ enquiry: first });
      await basicSubmissions(before).correct(submission, 0, second);
      for (const { email } of [first, second]) {
        const { submissions } = await after.privacy.findPerson({ email, purpose });
        expect(submissions.map(({ submissionId }) => submissionId)).toEqual([submission.id]);
      }
    } finally {
      await before.close();
      await after.close();
    }
  });

  it('returns results in pages', async () => {
    const { email } = someone();
    const ids: SubmissionId[] = [];
    for (let n = 0; n < 5; n += 1) ids.push((await service.submit({ enquiry: { email } })).id);
    const pages: string[][] = [];
    let pageToken = '';
    do {
      const page = await service.privacy.findPerson({ email, purpose, pageSize: 2, pageToken });
      pages.push(page.submissions.map(({ submissionId }) => submissionId));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(pages.map(({ length }) => length)).toEqual([2, 2, 1]);
    expect(pages.flat()).toEqual(sorted(ids));
  });

  it('writes an audit entry with its purpose, without the email or telephone number', async () => {
    const { email, telephone } = someone();
    const { id } = await service.submit({ enquiry: { email, telephone } });
    await service.privacy.findPerson({ email, telephone, purpose: `letter ${id}` });
    const entries = await service.context.db.auditEntry.findMany({ where: { purpose: `letter ${id}` } });
    expect(entries).toMatchObject([
      {
        actor: 'pat',
        action: 'FindPerson',
      },
    ]);
    // Nothing that could be tested with other emails or numbers either.
    expect(entries.map(({ after }) => after)).toEqual([{ by: ['email', 'telephone'], submissionIds: [id] }]);
    const text = JSON.stringify(entries, (_, value) => (typeof value === 'bigint' ? `${value}` : value));
    expect(text).not.toContain(email);
    expect(text).not.toContain(telephone.slice(1));
  });

  it.each([
    ['an empty search', {}, 'email'],
    ['a blank address', { email: '  ' }, 'email'],
    ['a blank number', { telephone: ' ' }, 'telephone'],
    ['a page token of another query', { email: 'a@example.test', pageToken: 'bm90' }, 'page_token'],
  ])('rejects %s', async (_, request, path) => {
    const refusal = await service.privacy
      .findPerson({ purpose, ...request })
      .then(() => undefined, refusalOf);
    expect(refusal).toMatchObject({ code: RefusalCode.VALIDATION_ERROR, violations: [{ path }] });
  });

  it('reads no table in full', async () => {
    const client = await service.context.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query('SET LOCAL enable_seqscan = off');
      const hash = [Buffer.alloc(32)];
      const { rows } = await client.query(
        `EXPLAIN ${FIND_PERSON}`,
        personParameters({ telephones: hash, emails: hash }, undefined, 51),
      );
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      for (const kind of ['telephone', 'email'])
        for (const index of [
          `submission_accepted_${kind}_idx`,
          `submission_undecided_${kind}_idx`,
          `submission_refused_${kind}_idx`,
          `other_contact_${kind}_idx`,
        ])
          expect(plan).toContain(index);
      expect(plan).not.toContain('Seq Scan');
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });
});
