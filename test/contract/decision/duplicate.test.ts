import { enquiry, newCompanyNumber } from '../../harness/enquiries.ts';
import { decided, supplier } from '../../harness/suppliers.ts';

const alphaLive = supplier('alpha', 'production');
const betaLive = supplier('beta', 'production');

describe('a second enquiry from one customer is a duplicate', () => {
  it('matches across suppliers in production', async () => {
    const company_number = newCompanyNumber();
    expect((await decided(alphaLive, enquiry({ company_number }))).status).toBe('accepted');
    expect((await decided(betaLive, enquiry({ company_number }))).status).toBe('duplicate_not_accepted');
  });
});
