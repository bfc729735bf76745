import { Code, ConnectError } from '@connectrpc/connect';
import { RefusalCode, refusalOf } from '@supplier/lib/rpc/refusal';
import { forAllTests, refused, startTestRpcServer } from '@supplier/lib/testing';
import { type AccountId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { BillingModel } from '@supplier/proto/common/v1/status';
import { deliver, NOW, submissionOf } from '../../testing/submission-events.ts';
import { charge, fillOctober, linesOf } from '../../testing/test-ledger.ts';
import { openTestService } from '../../testing/test-service.ts';
import { routes } from '../routes.ts';

const stranger = newId<AccountId>();

let accountId: AccountId;
/** Submissions that the submission service does not know, whether it is away, and a hook after it has answered. */
const unknown = new Set<string>();
let isAway = false;
let onCompared = async () => {};
const service = forAllTests(async () => {
  const opened = await openTestService({ accountExists: async (id) => id !== stranger });
  const { listBilled } = opened.context;
  return {
    ...opened,
    context: {
      ...opened.context,
      listBilled: async (ids: readonly SubmissionId[]) => {
        if (isAway) throw new ConnectError('The submission service is unavailable.', Code.Unavailable);
        const states = await listBilled(ids);
        await onCompared();
        return states.filter(({ submissionId }) => !unknown.has(submissionId));
      },
    },
  };
});
const server = forAllTests(() => startTestRpcServer('billing', BillingService, routes(service.context)));
beforeEach(() => {
  accountId = newId<AccountId>();
  onCompared = async () => {};
});

const billing = (role = 'staff:billing') => server.as('casey', role);
const close = (month: string, allowUnpriced = false) =>
  billing().closeMonth({ accountId, month, allowUnpriced });
const statement = (month: string) => billing('staff:viewer').getStatement({ accountId, month });
const price = (pence: number, from: string, billingModel = BillingModel.ACCEPTED_SUBMISSION) =>
  billing().setPrice({
    accountId,
    billingModel,
    pence,
    effectiveFrom: toTimestamp(new Date(from)),
  });
const months = async () => (await linesOf(service.context, accountId)).map(({ month }) => month);

describe('GetStatement', () => {
  it('adds up the lines of a month, by model and in total', async () => {
    await price(2500, '2026-10-01T00:00:00Z');
    await charge(service.context, accountId, '2026-09-30T23:59:59.999Z');
    await charge(service.context, accountId, '2026-10-01T00:00:00.000Z');
    const submission = await charge(service.context, accountId, '2026-10-31T23:59:59.999Z', {
      returnedAt: new Date('2026-11-02T00:00:00Z'),
    });
    await deliver(service.context, submission.returned());
    expect(await statement('2026-09')).toMatchObject({
      totals: { charges: 1n, chargedPence: 0n, unpriced: 1n },
    });
    const october = await statement('2026-10');
    const totals = {
      charges: 2n,
      chargedPence: 5000n,
      credits: 0n,
      creditedPence: 0n,
      netPence: 5000n,
      unpriced: 0n,
    };
    expect(october).toMatchObject({ accountId, month: '2026-10', currency: 'GBP', totals });
    expect(october.byModel).toMatchObject([{ billingModel: BillingModel.ACCEPTED_SUBMISSION, totals }]);
    expect(october.closedAt).toBeUndefined();
    expect(await statement('2026-11')).toMatchObject({
      totals: { charges: 0n, credits: 1n, creditedPence: 2500n, netPence: -2500n },
    });
  });

  it('adds up charges and credits under different models', async () => {
    const { ACCEPTED_SUBMISSION, APPLICATION_CREATED } = BillingModel;
    await price(2500, '2026-11-01T00:00:00Z');
    await price(900, '2026-11-01T00:00:00Z', APPLICATION_CREATED);
    const other = submissionOf({ billingModel: APPLICATION_CREATED, accountId });
    await deliver(service.context, other.billable(), other.returned());
    const submission = await charge(service.context, accountId, '2026-11-03T00:00:00Z');
    await deliver(service.context, submission.returned());
    await charge(service.context, accountId, '2026-11-05T00:00:00Z');
    const { totals, byModel } = await statement('2026-11');
    expect(totals).toMatchObject({
      charges: 3n,
      chargedPence: 5900n,
      credits: 2n,
      creditedPence: 3400n,
      netPence: 2500n,
    });
    expect(byModel).toMatchObject([
      { billingModel: ACCEPTED_SUBMISSION, totals: { chargedPence: 5000n, creditedPence: 2500n } },
      { billingModel: APPLICATION_CREATED, totals: { chargedPence: 900n, creditedPence: 900n } },
    ]);
  });

  it('returns zero totals for an account without lines and rejects an unknown account', async () => {
    expect(await statement('2026-10')).toMatchObject({ totals: { charges: 0n, netPence: 0n }, byModel: [] });
    const call = billing().getStatement({ accountId: stranger, month: '2026-10' });
    expect(await refused(call)).toMatchObject({ code: 'NotFound', refusal: 'NOT_FOUND' });
  });

  it.each(['2026-12', '2026-13', '2026-1', '', '0000-01'])('rejects the month %j', async (month) => {
    const wrong = { code: 'InvalidArgument', refusal: 'VALIDATION_ERROR', paths: ['month'] };
    expect(await refused(statement(month))).toEqual(wrong);
    expect(await refused(close(month))).toEqual(wrong);
  });
});

describe('CloseMonth', () => {
  it('freezes the month and moves late lines to the next statement', async () => {
    await price(2500, '2026-09-01T00:00:00Z');
    const submission = await charge(service.context, accountId, '2026-10-05T00:00:00Z', {
      returnedAt: new Date('2026-10-06T00:00:00Z'),
    });
    const closed = await close('2026-10');
    expect(closed).toMatchObject({
      month: '2026-10',
      closedAt: toTimestamp(NOW),
      totals: { charges: 1n, netPence: 2500n },
    });
    await deliver(service.context, submission.returned());
    await charge(service.context, accountId, '2026-10-07T00:00:00Z');
    expect(await months()).toEqual(['2026-10', '2026-11', '2026-11']);
    expect(await statement('2026-10')).toEqual(closed);
    expect(await statement('2026-11')).toMatchObject({
      totals: { charges: 1n, chargedPence: 2500n, credits: 1n, creditedPence: 2500n, netPence: 0n },
    });
  });

  it('returns the same statement when repeated and adds no audit entry', async () => {
    const first = await close('2026-10');
    expect(await close('2026-10', true)).toEqual(first);
    const lines = await service.context.db.auditEntry.findMany({ where: { accountId } });
    expect(lines).toMatchObject([
      {
        actor: 'casey',
        action: 'CloseMonth',
        after: { month: '2026-10', unpriced: 0, allowUnpriced: false },
      },
    ]);
  });

  it('rejects the current month', async () => {
    expect(await refused(close('2026-11'))).toMatchObject({
      code: 'FailedPrecondition',
      refusal: 'WRONG_STATE',
    });
  });

  it('rejects a month with unpriced lines unless allow_unpriced is set, and they then stay unpriced', async () => {
    await charge(service.context, accountId, '2026-10-05T00:00:00Z');
    expect(await refused(close('2026-10'))).toMatchObject({ refusal: 'WRONG_STATE' });
    expect(await close('2026-10', true)).toMatchObject({ totals: { charges: 1n, unpriced: 1n } });
    expect(await refused(price(2500, '2026-10-31T23:59:59.999Z'))).toMatchObject({ refusal: 'WRONG_STATE' });
    await price(2500, '2026-11-01T00:00:00Z');
    expect(await statement('2026-10')).toMatchObject({ totals: { charges: 1n, unpriced: 1n } });
  });

  it('requires months in order and closes empty months together with a later one', async () => {
    await price(1, '2026-01-01T00:00:00Z');
    for (const month of ['06', '07', '08'])
      await charge(service.context, accountId, `2026-${month}-05T00:00:00Z`);
    for (const month of ['2026-06', '2026-07', '2026-08']) {
      await expect(close('2026-10')).rejects.toThrow(`Close ${month} first`);
      expect(await close(month)).toMatchObject({ totals: { charges: 1n } });
    }
    await close('2026-10');
    expect(await close('2026-08')).toMatchObject({ totals: { charges: 1n } });
    expect(await statement('2026-09')).toMatchObject({
      closedAt: toTimestamp(NOW),
      totals: { charges: 0n },
    });
    expect(await refused(price(2, '2026-10-31T00:00:00Z'))).toMatchObject({ refusal: 'WRONG_STATE' });
    await charge(service.context, accountId, '2026-09-05T00:00:00Z');
    expect(await months()).toEqual(['2026-06', '2026-07', '2026-08', '2026-11']);
    expect(await close('2026-09')).toMatchObject({ totals: { charges: 0n } });
  });

  describe('with lines that no submission explains', () => {
    const plant = (count: number) => fillOctober(service.context, accountId, count, null);
    const isOpen = async () => {
      const { closedAt } = await statement('2026-10');
      const entries = await service.context.db.auditEntry.count({ where: { accountId } });
      return closedAt === undefined && entries === 0;
    };

    it('refuses the month and says what to do, wherever the line is', async () => {
      await plant(8_100);
      const planted = await charge(service.context, accountId, '2026-10-31T23:00:00Z');
      unknown.add(planted.submissionId);
      const refusal = await close('2026-10', true).catch((error: unknown) => error);
      expect(refusalOf(refusal)?.code).toBe(RefusalCode.WRONG_STATE);
      expect(String(refusal)).toContain(planted.submissionId);
      expect(String(refusal)).toContain('Run sss reconcile');
      expect(await isOpen()).toBe(true);
      unknown.clear();
      expect(await close('2026-10', true)).toMatchObject({ totals: { charges: 8_101n } });
    });

    it('closes another month of the account, and the month once the line is reversed', async () => {
      await charge(service.context, accountId, '2026-09-05T00:00:00Z');
      const planted = await charge(service.context, accountId, '2026-10-05T00:00:00Z', {
        returnedAt: new Date('2026-10-06T00:00:00Z'),
      });
      unknown.add(planted.submissionId);
      await close('2026-09', true);
      expect(await refused(close('2026-10', true))).toMatchObject({ refusal: 'WRONG_STATE' });
      await deliver(service.context, planted.returned());
      expect(await close('2026-10', true)).toMatchObject({ totals: { charges: 1n, credits: 1n } });
    });

    it('refuses as unavailable while the submission service is away, and changes nothing', async () => {
      await plant(1);
      isAway = true;
      expect(await refused(close('2026-10', true))).toMatchObject({ code: 'Unavailable' });
      expect(await isOpen()).toBe(true);
      isAway = false;
      await close('2026-10', true);
    });

    it('compares a line that is entered during the comparison, and closes nothing while more are entered', async () => {
      await plant(1);
      let more = 1;
      onCompared = async () => {
        if (more > 0) await plant(1);
        more -= 1;
      };
      expect(await close('2026-10', true)).toMatchObject({ totals: { charges: 2n } });
      accountId = newId<AccountId>();
      await plant(1);
      more = 100;
      expect(await refused(close('2026-10', true))).toMatchObject({ code: 'Unavailable' });
      expect(await isOpen()).toBe(true);
    });

    it('refuses a line that is entered during the comparison and that no submission explains', async () => {
      await plant(1);
      onCompared = async () => {
        onCompared = async () => {};
        unknown.add((await charge(service.context, accountId, '2026-10-31T23:00:00Z')).submissionId);
      };
      expect(await refused(close('2026-10', true))).toMatchObject({ refusal: 'WRONG_STATE' });
      expect(await isOpen()).toBe(true);
    });
  });

  it('rejects an unknown account', async () => {
    const call = billing().closeMonth({ accountId: stranger, month: '2026-10' });
    expect(await refused(call)).toMatchObject({ code: 'NotFound' });
  });
});
