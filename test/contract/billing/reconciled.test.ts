import { BillingModel, ReturnReasonCategory } from '@supplier/proto/common/v1/status';
import { newAccount } from '../../harness/accounts.ts';
import { type LedgerReport, leadOf, reconcileLedger } from '../../harness/billing.ts';
import { enquiry, screening } from '../../harness/enquiries.ts';
import { staff } from '../../harness/rpc.ts';
import { created, isBilled, settled } from '../../harness/suppliers.ts';

const MODELS = [
  BillingModel.ACCEPTED_SUBMISSION,
  BillingModel.APPLICATION_CREATED,
  BillingModel.PRE_UNDERWRITING_CLEARED,
];

describe('what suppliers are shown as billable', () => {
  it('is what the ledger charges, for every lead that changed meanwhile', async () => {
    const since = new Date();
    const expected: Record<string, number> = {};
    for (const billingModel of MODELS) {
      const account = await newAccount({ billingModel });
      const api = await account.issue({ environment: 'production' });
      const bodies = [
        enquiry(),
        enquiry(),
        enquiry({ credit_screening: screening({ company_status: 'fail' }) }),
        enquiry({ credit_screening: screening({ unsatisfied_ccjs: 'fail' }) }),
      ];
      const leads = await Promise.all(bodies.map((body) => created(api, body)));
      for (const { submission_id } of leads) await settled(api, submission_id, 'billed', isBilled);
      const [back] = leads;
      const submissionId = back?.submission_id ?? '';
      const reasonCategory = ReturnReasonCategory.OVERDUE_FILINGS;
      await staff.submission().returnSubmission({ submissionId, reasonCategory });
      await leadOf(submissionId, ({ entries }) => entries.length === 2);
      expected[account.accountId] = 1;
    }
    const until = new Date().toISOString();
    const { code, stdout } = await reconcileLedger(
      '--since',
      since.toISOString(),
      '--until',
      until,
      '--json',
    );
    const report: LedgerReport = JSON.parse(stdout);
    // Others change things at the same moment.
    expect(report.differences.filter(({ account_id }) => account_id in expected)).toEqual([]);
    expect(code).toBe(report.differences.length > 0 ? 1 : 0);
    const accounts = report.accounts.filter(({ account_id }) => account_id in expected);
    expect(accounts).toHaveLength(MODELS.length);
    for (const { shown_billable, charged } of accounts) expect([shown_billable, charged]).toEqual([1, 1]);
  });

  it('is compared for the last seven days', async () => {
    const { code, stderr } = await reconcileLedger('--since', '2020-01-01T00:00:00Z');
    expect(code).toBe(78);
    expect(stderr).toContain('more than seven days ago');
  });
});
