import { create, fromBinary } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import type { SubmissionId } from '@supplier/lib/ids';
import { toTimestamp } from '@supplier/lib/time';
import { EventEnvelopeSchema } from '@supplier/proto/common/v1/event';
import { BillingSchema, BillingStatus, Status } from '@supplier/proto/common/v1/status';
import { LeadRestatedSchema } from '@supplier/proto/submission/v1/events';
import { PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import { openTestService, type SubmitOptions, type TestService } from '../../testing/test-service.ts';
import type { Context } from '../context.ts';
import { checkBilling } from './check-billing.ts';

let service: TestService;
beforeEach(async () => {
  service = await openTestService();
});
afterEach(() => service?.close());

const AT = new Date('2026-11-20T09:00:00Z');
const decided = create(BillingSchema, {
  billingStatus: BillingStatus.BILLABLE,
  billableAt: toTimestamp(AT),
  billingModel: 1,
});

async function accepted(options: SubmitOptions = {}): Promise<SubmissionId> {
  const { id } = await service.submit(options);
  await service.decide(id);
  return id;
}
const dueNow = () =>
  service.context.pool.query("UPDATE submission SET billing_due_at = now() - interval '1 second'");
const rowOf = (id: SubmissionId) => service.context.db.submission.findUniqueOrThrow({ where: { id } });
const restated = async (id: SubmissionId) =>
  (await service.eventsOf(id)).filter((type) => type === 'LeadRestated').length;

/** Runs one check against a billing service that knows `leads`. */
function check(leads: { submissionId: string; billing?: typeof decided }[], asked: string[][] = []) {
  const billing = {
    async getLeads({ submissionIds }: { submissionIds: string[] }) {
      asked.push(submissionIds);
      return { leads };
    },
  } as unknown as Context['billing'];
  return checkBilling.run({ ...service.context, billing });
}

describe('billing that stays pending', () => {
  it('is taken over when billing has decided it and this service missed that', async () => {
    const id = await accepted();
    await dueNow();
    expect(await check([{ submissionId: id, billing: decided }])).toMatchObject({ count: 1 });
    expect(await rowOf(id)).toMatchObject({ billingStatus: BillingStatus.BILLABLE, billableAt: AT });
    expect(await restated(id)).toBe(0);
  });

  it('is restated to billing with all its facts when billing has missed it, and again only later', async () => {
    const id = await accepted();
    await dueNow();
    expect(await check([])).toMatchObject({ count: 1 });
    const row = await service.context.db.outbox.findFirstOrThrow({
      where: { aggregateId: id, type: LeadRestatedSchema.typeName },
    });
    expect(row.subject).toBe('supplier.submission.LeadRestated.lead');
    expect(
      fromBinary(LeadRestatedSchema, fromBinary(EventEnvelopeSchema, row.envelope).payload),
    ).toMatchObject({
      submission: { status: Status.ACCEPTED, applicationReference: expect.stringMatching(/^APP-/) },
      preUnderwriting: { state: PreUnderwritingState.CLEARED },
    });
    expect(await check([])).toMatchObject({ count: 0 });
    const { billingDueAt, billingChecks } = await rowOf(id);
    expect(billingChecks).toBe(1);
    expect(billingDueAt?.getTime()).toBeGreaterThan(Date.now());
  });

  it('is left alone where the model of the lead still waits, and hides no other lead behind it', async () => {
    const waiting = await Promise.all(
      Array.from({ length: 70 }, () =>
        accepted({
          terms: { billingModel: 3, preUnderwritingFailure: 2 },
          enquiry: { creditScreening: { provider: 'p', unsatisfiedCcjs: 2 } },
        }),
      ),
    );
    const overdue = await accepted();
    await dueNow();
    const asked: string[][] = [];
    let more = true;
    for (let round = 0; more && round < 5; round += 1) ({ more } = await check([], asked));
    expect(asked.flat().sort()).toEqual([...waiting, overdue].sort());
    expect(await restated(overdue)).toBe(1);
    expect(await restated(waiting[0] as SubmissionId)).toBe(0);
  });

  it('changes nothing while billing is unavailable', async () => {
    const id = await accepted();
    await dueNow();
    const billing = {
      async getLeads() {
        throw new ConnectError('unavailable', Code.Unavailable);
      },
    } as unknown as Context['billing'];
    await expect(checkBilling.run({ ...service.context, billing })).rejects.toThrow('unavailable');
    expect(await rowOf(id)).toMatchObject({ billingStatus: BillingStatus.PENDING, billingChecks: 0 });
    expect(await restated(id)).toBe(0);
  });

  it('of a lead that cannot be checked harms itself alone', async () => {
    const bad = await accepted();
    const good = await accepted();
    await dueNow();
    // No submission may be billable without a time: the row is refused, and with it the set.
    const broken = create(BillingSchema, { billingStatus: BillingStatus.BILLABLE, billingModel: 1 });
    const { count } = await check([
      { submissionId: bad, billing: broken },
      { submissionId: good, billing: decided },
    ]);
    expect(count).toBe(1);
    expect((await rowOf(good)).billingStatus).toBe(BillingStatus.BILLABLE);
    expect(await rowOf(bad)).toMatchObject({ billingStatus: BillingStatus.PENDING, billingChecks: 1 });
  });
});
