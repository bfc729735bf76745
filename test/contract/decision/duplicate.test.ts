import { Queue } from '@supplier/proto/submission/v1/queues';
import { newSupplier } from '../../harness/accounts.ts';
import {
  type Body,
  correction,
  delivery,
  enquiry,
  minimalEnquiry,
  newCompanyNumber,
  newCustomer,
  newShortCompanyNumber,
  screening,
} from '../../harness/enquiries.ts';
import { submissionOf } from '../../harness/responses.ts';
import { staff } from '../../harness/rpc.ts';
import { created, createdBasic, decided, isDecided, settled, supplier } from '../../harness/suppliers.ts';

const alpha = supplier('alpha');
const alphaLive = supplier('alpha', 'production');
const betaLive = supplier('beta', 'production');

const statusesOf = async (first: Body, second: Body, from = alpha): Promise<string[]> => [
  (await decided(from, first)).status,
  (await decided(from, second)).status,
];
const DUPLICATE = ['accepted', 'duplicate_not_accepted'];
const DIFFERENT = ['accepted', 'accepted'];

describe('a second enquiry from one customer is a duplicate', () => {
  it('has a decision time and no application', async () => {
    const company_number = newCompanyNumber();
    await decided(alpha, enquiry({ company_number }));
    expect(await decided(alpha, enquiry({ company_number }))).toMatchObject({
      status: 'duplicate_not_accepted',
      decided_at: expect.any(String),
      application_reference: null,
    });
  });

  it.each([
    ['in lower case', (n: string) => n.toLowerCase()],
    ['with spaces', (n: string) => ` ${n.slice(0, 3)} ${n.slice(3)} `],
    ['as it is', (n: string) => n],
  ])('matches a company number written %s', async (_, spelled) => {
    const company_number = newCompanyNumber();
    const second = enquiry({ company_number: spelled(company_number) });
    expect(await statusesOf(enquiry({ company_number }), second)).toEqual(DUPLICATE);
  });

  it('matches a company number without its leading zero', async () => {
    const company_number = newShortCompanyNumber();
    const second = enquiry({ company_number: `0${company_number}` });
    expect(await statusesOf(enquiry({ company_number }), second, await newSupplier())).toEqual(DUPLICATE);
  });

  it.each([
    ['in its national form', (n: string) => `0${n.slice(3)}`],
    ['with spaces', (n: string) => `0${n.slice(3, 7)} ${n.slice(7, 10)} ${n.slice(10)}`],
    ['with the exit code', (n: string) => `00${n.slice(1)}`],
    ['with brackets', (n: string) => `+44 (0)${n.slice(3)}`],
    ['as it is', (n: string) => n],
  ])('matches a telephone written %s', async (_, spelled) => {
    const { telephone } = newCustomer();
    const second = minimalEnquiry({ telephone: spelled(telephone) });
    expect(await statusesOf(minimalEnquiry({ telephone }), second)).toEqual(DUPLICATE);
  });

  it.each([
    ['in capitals', (mail: string) => mail.toUpperCase()],
    ['with white space around it', (mail: string) => `  ${mail} `],
    ['as it is', (mail: string) => mail],
  ])('matches an email written %s', async (_, spelled) => {
    const { email } = newCustomer();
    const second = minimalEnquiry({ email: spelled(email) });
    expect(await statusesOf(minimalEnquiry({ email }), second)).toEqual(DUPLICATE);
  });

  it('matches telephone or email when only one of the two enquiries names a company', async () => {
    const { telephone } = newCustomer();
    expect(await statusesOf(enquiry({ telephone }), minimalEnquiry({ telephone }))).toEqual(DUPLICATE);
    const { email } = newCustomer();
    expect(await statusesOf(minimalEnquiry({ email }), enquiry({ email }))).toEqual(DUPLICATE);
  });

  it('is reported as a duplicate before a hard reject', async () => {
    const company_number = newCompanyNumber();
    const failed = enquiry({ company_number, credit_screening: screening({ company_status: 'fail' }) });
    expect(await statusesOf(enquiry({ company_number }), failed)).toEqual(DUPLICATE);
  });

  it('matches a returned submission too', async () => {
    const company_number = newCompanyNumber();
    const credit_screening = screening({ unsatisfied_ccjs: 'fail' });
    const { submission_id } = await created(alpha, enquiry({ company_number, credit_screening }));
    await settled(alpha, submission_id, 'returned', (s) => s.status === 'returned');
    expect((await decided(alpha, enquiry({ company_number }))).status).toBe('duplicate_not_accepted');
  });

  it('matches across suppliers in production', async () => {
    const company_number = newCompanyNumber();
    expect((await decided(alphaLive, enquiry({ company_number }))).status).toBe('accepted');
    expect((await decided(betaLive, enquiry({ company_number }))).status).toBe('duplicate_not_accepted');
  });
});

describe('a second enquiry is not a duplicate', () => {
  it('when telephone and email match but the companies differ', async () => {
    const { telephone, email } = newCustomer();
    expect(await statusesOf(enquiry({ telephone, email }), enquiry({ telephone, email }))).toEqual(DIFFERENT);
  });

  it('when the matching values identify no one: each awaits staff, until a correction brings a contact', async () => {
    const nobody = { company_number: 'N/A', telephone: '0', email: 'n/a' };
    const api = await newSupplier({}, 'production');
    const applied = await created(api, enquiry(nobody));
    const basic = await createdBasic(api, delivery(nobody));
    expect(basic.status).toBe('received');
    const { submissions } = await staff
      .submission()
      .listSubmissions({ accountId: api.accountId, queues: [Queue.NO_USABLE_CONTACT] });
    expect(submissions.map(({ submissionId }) => submissionId)).toEqual([
      basic.submission_id,
      applied.submission_id,
    ]);
    const { email } = newCustomer();
    const corrected = await api.correct(
      basic.submission_id,
      correction({ telephone: 'n/a', email: ` <${email}>; ` }),
    );
    expect(submissionOf(corrected, 200).status).toBe('accepted');
    expect((await decided(betaLive, enquiry({ email }))).status).toBe('duplicate_not_accepted');
    expect(submissionOf(await api.read(applied.submission_id), 200).status).toBe('received');
  });

  it('when only names and amounts match', async () => {
    expect(await statusesOf(minimalEnquiry(), minimalEnquiry())).toEqual(DIFFERENT);
  });

  it('when the first was rejected', async () => {
    const company_number = newCompanyNumber();
    const failed = enquiry({ company_number, credit_screening: screening({ company_status: 'fail' }) });
    expect(await statusesOf(failed, enquiry({ company_number }))).toEqual(['rejected', 'accepted']);
  });

  it('when the first is another supplier’s, in the sandbox', async () => {
    const company_number = newCompanyNumber();
    expect((await decided(alpha, enquiry({ company_number }))).status).toBe('accepted');
    expect((await decided(supplier('beta'), enquiry({ company_number }))).status).toBe('accepted');
  });

  it('when the first is in the other environment', async () => {
    const company_number = newCompanyNumber();
    expect((await decided(alpha, enquiry({ company_number }))).status).toBe('accepted');
    expect((await decided(alphaLive, enquiry({ company_number }))).status).toBe('accepted');
  });

  it('when the first still awaits a decision by staff', async () => {
    const company_number = newCompanyNumber();
    const waiting = await created(supplier('staffed', 'production'), enquiry({ company_number }));
    expect((await decided(alphaLive, enquiry({ company_number }))).status).toBe('accepted');
    expect(waiting.status).toBe('received');
  });
});

describe('concurrent enquiries from one customer', () => {
  it.each([
    ['company number', () => ({ company_number: newCompanyNumber() })],
    ['telephone', () => ({ telephone: newCustomer().telephone })],
    ['email', () => ({ email: newCustomer().email })],
  ])('accepts only the earliest received of those with the same %s', async (_, shared) => {
    const customer = shared();
    const senders = Array.from({ length: 10 }, (__, i) => (i % 2 === 0 ? alphaLive : betaLive));
    const received = await Promise.all(
      senders.map(async (api) => ({ api, submission: await created(api, minimalEnquiry(customer)) })),
    );
    const ended = await Promise.all(
      received.map(({ api, submission }) => settled(api, submission.submission_id, 'decided', isDecided)),
    );
    expect(ended.map((s) => s.status).sort()).toEqual([
      'accepted',
      ...Array(9).fill('duplicate_not_accepted'),
    ]);
    const accepted = ended.find((s) => s.status === 'accepted');
    const earliest = ended.map((s) => s.received_at).sort()[0];
    expect(accepted?.received_at).toBe(earliest);
  });

  it('accepts no two that match when they are linked by different features', async () => {
    const [a, b] = [newCustomer(), newCustomer()];
    const bodies = [
      minimalEnquiry({ telephone: a.telephone }),
      minimalEnquiry({ telephone: a.telephone, email: b.email }),
      minimalEnquiry({ email: b.email }),
    ];
    const received = await Promise.all(bodies.map((body) => created(alphaLive, body)));
    const [phone, both, email] = await Promise.all(
      received.map((s) => settled(alphaLive, s.submission_id, 'decided', isDecided)),
    );
    const pairs = [
      [phone, both],
      [both, email],
    ];
    for (const pair of pairs)
      expect(pair.filter((s) => s?.status === 'accepted').length).toBeLessThanOrEqual(1);
    expect([phone, both, email].some((s) => s?.status === 'accepted')).toBe(true);
  });
});
