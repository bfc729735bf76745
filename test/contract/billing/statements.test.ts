import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { status } from '@grpc/grpc-js';
import {
  BillingService,
  CloseMonthRequestSchema,
  EntryKind,
  GetStatementRequestSchema,
  type Statement,
  type StatementLine,
  StreamStatementRequestSchema,
  type StreamStatementResponse,
} from '@supplier/proto/billing/v1/billing';
import { SetPriceRequestSchema, type SetPriceResponse } from '@supplier/proto/billing/v1/prices';
import { BillingModel, ReturnReasonCategory } from '@supplier/proto/common/v1/status';
import { newAccount } from '../../harness/accounts.ts';
import { chargesAndCredits, ledgerOf } from '../../harness/billing.ts';
import { enquiry } from '../../harness/enquiries.ts';
import { grpcCall, grpcMessages } from '../../harness/grpc.ts';
import { staff } from '../../harness/rpc.ts';
import { created, isBilled, settled } from '../../harness/suppliers.ts';
import { token } from '../../harness/tokens.ts';

const HOUR_MS = 3_600_000;
const BILLING = token({ roles: ['staff:billing'], audience: 'billing' });

/** A third-party client, as a finance team would use. */
const call = {
  setPrice: (request: MessageInitShape<typeof SetPriceRequestSchema>, bearer = BILLING) =>
    grpcCall('billing', BillingService, 'SetPrice', create(SetPriceRequestSchema, request), bearer),
  closeMonth: (request: MessageInitShape<typeof CloseMonthRequestSchema>, bearer = BILLING) =>
    grpcCall('billing', BillingService, 'CloseMonth', create(CloseMonthRequestSchema, request), bearer),
  getStatement: (request: MessageInitShape<typeof GetStatementRequestSchema>, bearer = BILLING) =>
    grpcCall('billing', BillingService, 'GetStatement', create(GetStatementRequestSchema, request), bearer),
  streamStatement: (request: MessageInitShape<typeof StreamStatementRequestSchema>, bearer = BILLING) =>
    grpcMessages(
      'billing',
      BillingService,
      'StreamStatement',
      create(StreamStatementRequestSchema, request),
      bearer,
    ),
};

const monthOf = (time: number | string) => new Date(time).toISOString().slice(0, 7);
const thisMonth = () => monthOf(Date.now());
/** Returns the month (`YYYY-MM`) that was `months` months ago, on any day of the month. */
const monthsAgo = (months: number) => {
  const now = new Date();
  return monthOf(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1));
};

describe('the price of a lead', () => {
  it('is the price in force when the lead became billable, on its ledger line and on the statement', async () => {
    const account = await newAccount();
    const { accountId } = account;
    const price = { accountId, billingModel: BillingModel.ACCEPTED_SUBMISSION, pence: 2_500 };
    const set = await call.setPrice({ ...price, effectiveFrom: timestampFromMs(Date.now() - HOUR_MS) });
    expect(set).toMatchObject({ code: status.OK });
    expect((set.reply as SetPriceResponse).price).toMatchObject({ pence: 2_500, currency: 'GBP' });

    const api = await account.issue({ environment: 'production' });
    const [kept, back] = [await created(api, enquiry()), await created(api, enquiry())];
    for (const { submission_id } of [kept, back]) await settled(api, submission_id, 'billed', isBilled);
    const reasonCategory = ReturnReasonCategory.OVERDUE_FILINGS;
    await staff.submission().returnSubmission({ submissionId: back.submission_id, reasonCategory });
    const submitted = await ledgerOf(back.submission_id, (l) => l.entries.length === 2);
    expect(chargesAndCredits(submitted)).toEqual(['charge', 'credit']);
    expect(submitted.entries.map(({ pence }) => pence)).toEqual([2_500, 2_500]);

    const month = submitted.entries[0]?.statementMonth ?? '';
    expect(month).toBe(
      monthOf((await settled(api, kept.submission_id, 'billed', isBilled)).billing.billable_at ?? ''),
    );
    const { reply } = await call.getStatement({ accountId, month });
    expect((reply as Statement).totals).toMatchObject({
      charges: 2n,
      chargedPence: 5_000n,
      credits: 1n,
      creditedPence: 2_500n,
      netPence: 2_500n,
      unpriced: 0n,
    });
    expect((reply as Statement).closedAt).toBeUndefined();

    const all = linesOf(await call.streamStatement({ accountId, month }));
    expect(all.map(({ kind }) => kind)).toEqual([EntryKind.CHARGE, EntryKind.CHARGE, EntryKind.CREDIT]);
    const rest = linesOf(
      await call.streamStatement({ accountId, month, afterEntryId: all[0]?.entryId ?? '' }),
    );
    expect(rest.map(({ entryId }) => entryId)).toEqual(all.slice(1).map(({ entryId }) => entryId));

    // Billed submissions keep their price.
    const earlier = { ...price, pence: 1, effectiveFrom: timestampFromMs(Date.now() - HOUR_MS) };
    expect(await call.setPrice(earlier)).toMatchObject({ code: status.FAILED_PRECONDITION });
  });

  it('is not charged in the sandbox, whose leads appear on no statement', async () => {
    const account = await newAccount();
    const api = await account.issue();
    await created(api, enquiry());
    const { reply } = await call.getStatement({ accountId: account.accountId, month: thisMonth() });
    expect((reply as Statement).totals).toMatchObject({ charges: 0n, credits: 0n });
  });
});

describe('closing a month', () => {
  it('returns the same statement when the month is closed again', async () => {
    const { accountId } = await newAccount();
    const first = await call.closeMonth({ accountId, month: monthsAgo(1) });
    expect(first.code).toBe(status.OK);
    expect((first.reply as Statement).closedAt).toBeDefined();
    const second = await call.closeMonth({ accountId, month: monthsAgo(1) });
    expect(second.reply).toEqual(first.reply);
    const effectiveFrom = timestampFromMs(Date.parse(`${monthsAgo(1)}-15T00:00:00Z`));
    const price = { accountId, billingModel: BillingModel.ACCEPTED_SUBMISSION, pence: 1, effectiveFrom };
    expect(await call.setPrice(price)).toMatchObject({ code: status.FAILED_PRECONDITION });
  });
});

function linesOf({ messages }: Awaited<ReturnType<typeof call.streamStatement>>): StatementLine[] {
  return messages.flatMap((message) => (message as StreamStatementResponse).lines);
}
