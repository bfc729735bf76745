import { type Timestamp, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { BillingModel, ReturnReasonCategory } from '@supplier/proto/common/v1/status';
import {
  type Finding,
  FindingKind,
  ReconciliationService,
} from '@supplier/proto/reconciliation/v1/reconciliation';
import { newAccount } from '../../harness/accounts.ts';
import { ledgerOf } from '../../harness/billing.ts';
import { eventsOf, newEndpoint, startReceiver } from '../../harness/endpoints.ts';
import { enquiry, screening } from '../../harness/enquiries.ts';
import { rpcClient, staff } from '../../harness/rpc.ts';
import { created, isBilled, settled } from '../../harness/suppliers.ts';

const MODELS = [
  BillingModel.ACCEPTED_SUBMISSION,
  BillingModel.APPLICATION_CREATED,
  BillingModel.PRE_UNDERWRITING_CLEARED,
];

/** A call starts no further batch after half a minute. */
const LONGEST_CALL_MS = 45_000;

describe('reconciliation', () => {
  it('finds that billed, returned and reported submissions are charged and reported as shown', async () => {
    const since = new Date();
    const receiver = await startReceiver();
    const accounts = new Set<string>();
    for (const billingModel of MODELS) {
      const account = await newAccount({ billingModel });
      await newEndpoint(account.accountId, receiver.url, 'production');
      const api = await account.issue({ environment: 'production' });
      const bodies = [
        enquiry(),
        enquiry(),
        enquiry({ credit_screening: screening({ company_status: 'fail' }) }),
        enquiry({ credit_screening: screening({ unsatisfied_ccjs: 'fail' }) }),
      ];
      const submissions = await Promise.all(bodies.map((body) => created(api, body)));
      for (const { submission_id } of submissions) await settled(api, submission_id, 'billed', isBilled);
      const [back] = submissions;
      const submissionId = back?.submission_id ?? '';
      const reasonCategory = ReturnReasonCategory.OVERDUE_FILINGS;
      await staff.submission().returnSubmission({ submissionId, reasonCategory });
      await ledgerOf(submissionId, ({ entries }) => entries.length === 2);
      for (const { submission_id: id } of submissions)
        await eventsOf(
          id,
          'settled',
          (all) =>
            all.length >= (id === submissionId ? 2 : 1) &&
            all.every(({ settledAt }) => settledAt !== undefined),
        );
      accounts.add(account.accountId);
    }
    const span = { since: timestampFromDate(since), until: timestampFromDate(new Date()) };
    for (const service of ['billing', 'webhook'] as const) {
      const { compared, differences } = await reconcile(service, span);
      expect(compared).toBeGreaterThanOrEqual(4 * MODELS.length);
      // Other tests make changes concurrently.
      expect(differences.filter(({ accountId }) => accounts.has(accountId))).toEqual([]);
    }
    await receiver.close();
  });
});

/** Returns all findings of a service, over repeated calls. */
async function reconcile(
  service: 'billing' | 'webhook',
  span: { readonly since: Timestamp; readonly until: Timestamp },
): Promise<{ readonly compared: number; readonly differences: readonly Finding[] }> {
  const client = rpcClient(service, ReconciliationService);
  const differences: Finding[] = [];
  let compared = 0;
  let resumeToken = '';
  do {
    for await (const finding of client.reconcile({ ...span, resumeToken }, { timeoutMs: LONGEST_CALL_MS })) {
      if (finding.kind === FindingKind.DIFFERENCE) differences.push(finding);
      if (finding.kind !== FindingKind.ENDED) continue;
      compared += Number(finding.count);
      resumeToken = finding.resumeToken;
    }
  } while (resumeToken !== '');
  return { compared, differences };
}
