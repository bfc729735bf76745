import { ReturnReasonCategory } from '@supplier/proto/common/v1/status';
import { enquiry, newCompanyNumber, screening } from '../../harness/enquiries.ts';
import { staff } from '../../harness/rpc.ts';
import { created, decided, isBilled, settled, supplier } from '../../harness/suppliers.ts';
import { delivered, deliveriesOf, type ReceivedEvent, rawDataOf } from '../../harness/webhooks.ts';

const alpha = supplier('alpha');
const live = supplier('alpha', 'production');
const times = (events: readonly ReceivedEvent[]) => events.map((e) => e.envelope.occurred_at).sort();

describe('a webhook is sent', () => {
  it('for a duplicate', async () => {
    const company_number = newCompanyNumber();
    await decided(alpha, enquiry({ company_number }));
    const submission = await created(alpha, enquiry({ company_number }));
    await delivered(alpha, submission, 'duplicate', (s) => s.status === 'duplicate_not_accepted');
  });

  it('for a return by pre-underwriting', async () => {
    const submission = await created(
      alpha,
      enquiry({ credit_screening: screening({ unsatisfied_ccjs: 'fail' }) }),
    );
    const { envelope } = await delivered(alpha, submission, 'returned', (s) => s.status === 'returned');
    expect(envelope.data.return).toMatchObject({ reason_category: 'outstanding_ccjs' });
  });

  it.each(['alpha', 'journey', 'promoting'])('when billing of %s becomes billable', async (name) => {
    const api = supplier(name, 'production');
    const submission = await created(api, enquiry());
    const billable = await delivered(api, submission, 'billable', isBilled);
    expect(billable.envelope.data.billing.billing_status).toBe('billable');
  });
});

describe('the webhooks of one submission', () => {
  it('have strictly increasing occurred_at times and unique ids, and end with the last change', async () => {
    const submission = await created(live, enquiry());
    await delivered(live, submission, 'billable', isBilled);
    await staff.submission().returnSubmission({
      submissionId: submission.submission_id,
      reasonCategory: ReturnReasonCategory.WEAK_FINANCIAL_POSITION,
    });
    await delivered(live, submission, 'returned', (s) => s.status === 'returned');

    const events = await deliveriesOf(live, submission);
    expect(events.length).toBeGreaterThanOrEqual(2);
    expect(new Set(times(events)).size).toBe(events.length);
    expect(new Set(events.map((e) => e.envelope.id)).size).toBe(events.length);
    const last = events.find((e) => e.envelope.occurred_at === times(events).at(-1));
    expect(last?.envelope.data).toMatchObject({
      status: 'returned',
      billing: { billing_status: 'not_billable', billable_at: null, not_billable_reason: 'returned' },
    });
    expect(last && rawDataOf(last)).toBe((await live.read(submission.submission_id)).text);
    // Each shows the state at its own time, without later changes.
    for (const { envelope } of events.filter((e) => e !== last)) {
      expect(envelope.data.return).toBeUndefined();
      expect(envelope.data.status).toBe('accepted');
    }
  });

  it('include only one for a decision that also makes it billable', async () => {
    const submission = await created(live, enquiry());
    await settled(live, submission.submission_id, 'billed', isBilled);
    await delivered(live, submission, 'billable', isBilled);
    // All webhooks of a later submission have arrived: nothing more of the earlier one is pending.
    const later = await created(live, enquiry());
    await delivered(live, later, 'billable', isBilled);
    const events = await deliveriesOf(live, submission);
    expect(new Set(events.map((e) => e.envelope.id)).size).toBe(1);
  });
});
