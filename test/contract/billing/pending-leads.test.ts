import { timestampMs } from '@bufbuild/protobuf/wkt';
import { CloseReason } from '@supplier/proto/submission/v1/pending_leads';
import { accountThatPromotes, chargesAndCredits, ledgerOf, pendingForEver } from '../../harness/billing.ts';
import { newEndpoint, type OwnReceiver, startReceiver } from '../../harness/endpoints.ts';
import { fullPromotion } from '../../harness/enquiries.ts';
import { refusalOf, submissionOf } from '../../harness/responses.ts';
import { staff } from '../../harness/rpc.ts';
import { isBilled, settled } from '../../harness/suppliers.ts';

const close = (submissionId: string, closeReason = CloseReason.GIVEN_UP_BY_SUPPLIER) =>
  staff.submission().closePendingLead({ submissionId, closeReason });

let receiver: OwnReceiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver?.close());

describe('a lead that never gets an Application', () => {
  it('appears among the pending leads of its account', async () => {
    const account = await accountThatPromotes();
    const [first, second] = [await pendingForEver(account), await pendingForEver(account)];
    const { accountId } = account;
    const found = await staff.submission().listPendingLeads({ accountId });
    expect(found.leads.map(({ submissionId }) => submissionId)).toEqual([
      first.submission_id,
      second.submission_id,
    ]);
    expect(found).toMatchObject({ count: 2, countIsAtLeast: false, nextPageToken: '' });
    const [submitted] = found.leads;
    if (!submitted?.receivedAt) throw new Error('it has no time of receipt');
    expect(Math.abs(timestampMs(submitted.receivedAt) - Date.parse(first.received_at))).toBeLessThan(1_000);
    expect(await staff.submission().listPendingLeads({ accountId, pendingDays: 1 })).toMatchObject({
      leads: [],
      count: 0,
    });
  });

  it('can be closed once, and its supplier sees the change in one webhook and in reads', async () => {
    const account = await accountThatPromotes();
    await newEndpoint(account.accountId, receiver.url, 'production');
    const { api, submission_id } = await pendingForEver(account);
    await receiver.about(submission_id, 1);
    const ends = await Promise.allSettled([close(submission_id), close(submission_id)]);
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);

    const billing = {
      billing_status: 'not_billable',
      billable_at: null,
      billing_model: 'application_created',
      not_billable_reason: 'rejected',
    };
    const seen = await settled(api, submission_id, 'ended', isBilled);
    expect(seen).toMatchObject({ status: 'accepted', billing });
    const [, told] = await receiver.about(submission_id, 2);
    expect(told?.envelope.data).toMatchObject({ submission_id, status: 'accepted', billing });

    // A late promotion is refused. Then another submission's webhook arrives, which shows that nothing more was sent about
    // the first.
    const { details } = refusalOf(await api.promote(submission_id, fullPromotion()), 422);
    expect(details).toMatchObject([{ path: 'submission_id' }]);
    const other = await pendingForEver(account);
    // Closing before the first attempt would supersede the first webhook.
    await receiver.about(other.submission_id, 1);
    await close(other.submission_id);
    await receiver.about(other.submission_id, 2);
    const arrived = new Set((await receiver.about(submission_id, 2)).map(({ envelope }) => envelope.id));
    expect(arrived.size).toBe(2);
    const submitted = await ledgerOf(submission_id);
    expect(chargesAndCredits(submitted)).toEqual([]);
    expect(submissionOf(await api.read(submission_id), 200).billing).toEqual(billing);
  });
});
