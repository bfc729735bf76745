import { ReturnReasonCategory } from '@supplier/proto/common/v1/status';
import { DeliveryState } from '@supplier/proto/webhook/v1/webhook';
import { enquiry, newCompanyNumber, screening } from '../../harness/enquiries.ts';
import { staff } from '../../harness/rpc.ts';
import { created, decided, isBilled, settled, supplier } from '../../harness/suppliers.ts';
import {
  delivered,
  deliveriesOf,
  deliveriesTo,
  type ReceivedEvent,
  rawDataOf,
} from '../../harness/webhooks.ts';

const alpha = supplier('alpha');
const live = supplier('alpha', 'production');
const times = (events: readonly ReceivedEvent[]) => events.map((e) => e.envelope.occurred_at).sort();

describe('a webhook is sent', () => {
  it('for an acceptance', async () => {
    const submission = await created(alpha, enquiry());
    const { envelope } = await delivered(alpha, submission, 'accepted', (s) => s.status === 'accepted');
    expect(envelope.data.application_reference).not.toBeNull();
    expect(envelope.occurred_at >= submission.received_at).toBe(true);
  });

  it('for a rejection', async () => {
    const submission = await created(
      alpha,
      enquiry({ credit_screening: screening({ company_status: 'fail' }) }),
    );
    await delivered(alpha, submission, 'rejected', (s) => s.status === 'rejected');
  });

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

  it('when billing becomes not billable', async () => {
    const submission = await created(
      live,
      enquiry({ credit_screening: screening({ company_status: 'fail' }) }),
    );
    const { envelope } = await delivered(live, submission, 'not billable', isBilled);
    expect(envelope.data).toMatchObject({ status: 'rejected', billing: { not_billable_reason: 'rejected' } });
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

  it('include none for a replay, a conflict or a read', async () => {
    const body = enquiry();
    const submission = await decided(alpha, body);
    await delivered(alpha, submission, 'accepted');
    await alpha.create(body);
    await alpha.create({ ...body, first_name: 'Grace' });
    await alpha.read(submission.submission_id);
    await delivered(alpha, await decided(alpha, enquiry()), 'decided');
    expect(await deliveriesOf(alpha, submission)).toHaveLength(1);
  });
});

describe('a supplier without an endpoint', () => {
  it('gets no webhook, and none is stored for later', async () => {
    const beta = supplier('beta');
    const since = new Date();
    const { submission_id } = await decided(beta, enquiry());
    // The webhook of a later submission has arrived: by then the earlier change has been processed and dropped.
    await delivered(alpha, await decided(alpha, enquiry()), 'decided');
    expect(await deliveriesTo(beta, since)).toEqual([]);
    const { events } = await staff.webhook().listEvents({ submissionId: submission_id });
    expect(events.map(({ state, attempts }) => [state, attempts])).toEqual([[DeliveryState.DROPPED, []]]);
  });
});
