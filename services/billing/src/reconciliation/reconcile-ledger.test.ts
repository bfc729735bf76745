import { type AccountId, newId, type SubmissionId } from '@supplier/lib/ids';
import { BillingModel, Environment } from '@supplier/proto/common/v1/status';
import { charge, leadOf } from '../../testing/ledger.ts';
import { DECIDED_AT, deliver, submissionOf } from '../../testing/submission-events.ts';
import { openTestService, type TestService } from '../../testing/test-service.ts';
import type { ShownSubmission } from '../domain/reconciliation.ts';
import { type ListChanged, reconcileLedger } from './reconcile-ledger.ts';
import { reportJson, reportLines } from './report.ts';

const AT = '2026-11-01T10:00:00.111Z';
const SPAN = { since: new Date('2026-11-01T00:00:00Z'), until: new Date('2026-11-02T00:00:00Z') };

let service: TestService;
let accountId: AccountId;
beforeAll(async () => {
  service = await openTestService();
});
beforeEach(() => {
  accountId = newId<AccountId>();
});
afterAll(() => service?.close());

const billable = (submissionId: SubmissionId): ShownSubmission => ({
  submissionId,
  accountId,
  environment: 'production',
  isDecided: true,
  billingStatus: 'billable',
  billableAt: DECIDED_AT,
});
const notBillable = (submissionId: SubmissionId): ShownSubmission => ({
  ...billable(submissionId),
  billingStatus: 'not_billable',
  billableAt: null,
});

/** Reconciles what is shown, listed two on a page, each twice. */
function reconcile(shown: readonly ShownSubmission[], settle: () => Promise<unknown> = async () => {}) {
  const ids = shown.flatMap(({ submissionId }) => [submissionId, submissionId]);
  const listChanged: ListChanged = async (_span, pageToken) => {
    const from = Number(pageToken || '0');
    const next = from + 3 < ids.length ? String(from + 3) : '';
    return { submissionIds: ids.slice(from, from + 3), next };
  };
  const listShown = async (some: readonly SubmissionId[]) =>
    shown.filter(({ submissionId }) => some.includes(submissionId));
  return reconcileLedger({ pool: service.context.pool, listChanged, listShown, settle }, SPAN);
}

const faultsOf = async (shown: readonly ShownSubmission[]) =>
  (await reconcile(shown)).differences.map(({ fault }) => fault);

describe('reconciling the ledger', () => {
  it('finds nothing wrong with what is billed as it is shown, and adds both sides up', async () => {
    const charged = await charge(service.context, accountId, AT);
    const back = await charge(service.context, accountId, AT);
    await deliver(service.context, back.returned());
    const waiting = submissionOf(BillingModel.APPLICATION_CREATED, Environment.PRODUCTION, { accountId });
    await deliver(service.context, waiting.accepted());
    const found = await reconcile([
      billable(charged.submissionId),
      notBillable(back.submissionId),
      { ...notBillable(waiting.submissionId), billingStatus: 'pending' },
      { ...notBillable(newId<SubmissionId>()), billingStatus: 'pending', isDecided: false },
      { ...notBillable(newId<SubmissionId>()), environment: 'sandbox' },
    ]);
    expect(found).toMatchObject({ checked: 5, differences: [], omitted: 0 });
    expect([...found.totals]).toEqual([[accountId, { shownBillable: 1, charged: 1 }]]);
  });

  it('finds each difference, and says of whom it is', async () => {
    const charged = await charge(service.context, accountId, AT);
    const back = await charge(service.context, accountId, AT);
    await deliver(service.context, back.returned());
    const waiting = leadOf(accountId, AT);
    await deliver(service.context, waiting.received());
    const { submissionId } = charged;
    expect(await faultsOf([notBillable(submissionId)])).toEqual(['not_credited']);
    expect(await faultsOf([{ ...billable(submissionId), billableAt: new Date(0) }])).toEqual(['other_time']);
    expect(await faultsOf([{ ...billable(submissionId), accountId: newId<AccountId>() }])).toEqual([
      'other_account',
    ]);
    expect(await faultsOf([billable(back.submissionId)])).toEqual(['credited']);
    expect(await faultsOf([billable(waiting.submissionId)])).toEqual(['not_charged']);
    expect(await faultsOf([notBillable(waiting.submissionId)])).toEqual(['other_status']);
    const unknown = billable(newId<SubmissionId>());
    const found = await reconcile([unknown, billable(submissionId)]);
    expect(found.differences).toEqual([{ fault: 'unknown_lead', shown: unknown }]);
    expect([...found.totals]).toEqual([[accountId, { shownBillable: 2, charged: 1 }]]);

    const text = reportLines(found, SPAN);
    expect(text.split('\n')).toEqual([
      `unknown_lead submission=${unknown.submissionId} account=${accountId}: it is decided, and billing has no lead for it`,
      `account=${accountId} shown_billable=2 charged=1`,
      '2 submissions changed from 2026-11-01T00:00:00.000Z until 2026-11-02T00:00:00.000Z: 1 differences',
      '',
    ]);
    expect(JSON.parse(reportJson(found, SPAN))).toMatchObject({
      submissions_checked: 2,
      accounts: [{ account_id: accountId, shown_billable: 2, charged: 1 }],
      differences: [{ fault: 'unknown_lead', submission_id: unknown.submissionId, account_id: accountId }],
      differences_omitted: 0,
    });
  });

  it('forgets a difference that was on its way', async () => {
    const lead = leadOf(accountId, AT);
    const found = await reconcile([billable(lead.submissionId)], () =>
      deliver(service.context, lead.accepted()),
    );
    expect(found).toMatchObject({ differences: [] });
    expect([...found.totals]).toEqual([[accountId, { shownBillable: 1, charged: 1 }]]);
  });
});
