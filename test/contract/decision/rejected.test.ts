import { Code } from '@connectrpc/connect';
import { BusinessSector, TradingDuration } from '@supplier/proto/common/v1/enquiry';
import { newSupplier, type Terms } from '../../harness/accounts.ts';
import { type Body, enquiry, screening } from '../../harness/enquiries.ts';
import { rpcErrorOf, staff } from '../../harness/rpc.ts';
import { created, decided, isDecided, settled, supplier } from '../../harness/suppliers.ts';

describe('a rejected enquiry', () => {
  it.each(['company_status', 'insolvency_or_winding_up'])(
    'is rejected when its screening failed at %s',
    async (check) => {
      const submission = await decided(
        supplier('alpha'),
        enquiry({ credit_screening: screening({ [check]: 'fail' }) }),
      );
      expect(submission).toMatchObject({
        status: 'rejected',
        decided_at: expect.any(String),
        application_reference: null,
        application_created_at: null,
      });
      const error = await rpcErrorOf(
        staff
          .submission()
          .getApplication({ purpose: 'read by a test', submissionId: submission.submission_id }),
      );
      expect(error.code).toBe(Code.NotFound);
    },
  );

  it('is not rejected when those checks are omitted', async () => {
    const credit_screening = screening({
      company_status: 'not_checked',
      insolvency_or_winding_up: 'not_checked',
      unsatisfied_ccjs: 'not_checked',
    });
    expect((await decided(supplier('alpha'), enquiry({ credit_screening }))).status).toBe('accepted');
  });

  it.each<[string, Terms['thresholds'] & {}, Body, Body]>([
    [
      "requests less than the account's minimum",
      { minimumFundingAmount: 5000 },
      { funding_amount: 4999 },
      { funding_amount: 5000 },
    ],
    [
      "requests more than the account's maximum",
      { maximumFundingAmount: 50_000 },
      { funding_amount: 50_001 },
      { funding_amount: 50_000 },
    ],
    [
      'is from a sector that the account excludes',
      { excludedSectors: [BusinessSector.HOSPITALITY, BusinessSector.TRANSPORT] },
      { business_sector: 'transport' },
      { business_sector: 'construction' },
    ],
    [
      'has less turnover than the account requires',
      { minimumAnnualTurnoverGbp: 100_000 },
      { annual_turnover_gbp: 99_999 },
      { annual_turnover_gbp: 100_000 },
    ],
    [
      'has traded for less time than the account requires',
      { minimumTradingDuration: TradingDuration.TRADING_DURATION_2_5_YEARS },
      { trading_duration: '1-2-years' },
      { trading_duration: '2-5-years' },
    ],
  ])('is rejected when it %s, but not exactly at the threshold', async (_, thresholds, beyond, edge) => {
    const api = await newSupplier({ thresholds });
    expect((await decided(api, enquiry(beyond))).status).toBe('rejected');
    expect((await decided(api, enquiry(edge))).status).toBe('accepted');
  });

  it.each(['acceptedPerDay', 'acceptedPerMonth'])(
    'is rejected when the cap %s is full, which is exact under concurrency',
    async (cap) => {
      const api = await newSupplier({ caps: { [cap]: 3 } });
      const submissions = await Promise.all(Array.from({ length: 12 }, () => created(api, enquiry())));
      const statuses = await Promise.all(
        submissions.map(async (s) => (await settled(api, s.submission_id, 'decided', isDecided)).status),
      );
      expect(statuses.filter((status) => status === 'accepted')).toHaveLength(3);
      expect(statuses.filter((status) => status === 'rejected')).toHaveLength(9);
    },
  );

  it('frees its place under the cap for another', async () => {
    const api = await newSupplier({ caps: { acceptedPerDay: 1 } });
    const failed = enquiry({ credit_screening: screening({ company_status: 'fail' }) });
    expect((await decided(api, failed)).status).toBe('rejected');
    expect((await decided(api, enquiry())).status).toBe('accepted');
    expect((await decided(api, enquiry())).status).toBe('rejected');
  });
});
