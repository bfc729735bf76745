import { enquiry, minimalEnquiry, newCompanyNumber, newCustomer } from '../../harness/enquiries.ts';
import { created, decided, isDecided, settled, supplier } from '../../harness/suppliers.ts';

const alpha = supplier('alpha');
const alphaLive = supplier('alpha', 'production');
const betaLive = supplier('beta', 'production');

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

  it('matches across suppliers in production', async () => {
    const company_number = newCompanyNumber();
    expect((await decided(alphaLive, enquiry({ company_number }))).status).toBe('accepted');
    expect((await decided(betaLive, enquiry({ company_number }))).status).toBe('duplicate_not_accepted');
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
