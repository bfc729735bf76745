import { type AccountId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { ScreeningResult } from '@supplier/proto/common/v1/enquiry';
import { ApplicationMinting, PreUnderwritingFailure } from '@supplier/proto/common/v1/principal';
import {
  BillingModel,
  BillingStatus,
  Level,
  NotBillableReason,
  Status,
} from '@supplier/proto/common/v1/status';
import { openTestService, type SubmitOptions, type TestService } from '../../testing/test-service.ts';

const { ACCEPTED_SUBMISSION, APPLICATION_CREATED, PRE_UNDERWRITING_CLEARED } = BillingModel;
const FAILING = { creditScreening: { provider: 'p', unsatisfiedCcjs: ScreeningResult.FAIL } };
const QUEUE = { preUnderwritingFailure: PreUnderwritingFailure.QUEUE_FOR_STAFF };

let service: TestService;
beforeAll(async () => {
  service = await openTestService();
});
afterAll(() => service?.close());

const rowOf = (id: SubmissionId) => service.context.db.submission.findUniqueOrThrow({ where: { id } });

/** A decided submission as the previous release left it: its billing is pending, whatever its facts are. */
async function leftPending(options: SubmitOptions): Promise<SubmissionId> {
  const { id } = await service.submit(options);
  await service.decide(id);
  await service.context.pool.query(
    'UPDATE submission SET billing_status = 1, billable_at = NULL, not_billable_reason = 0 WHERE id = $1',
    [id],
  );
  return id;
}

describe('billing that the previous release left pending', () => {
  it.each<[string, SubmitOptions, 'decidedAt' | 'applicationCreatedAt']>([
    ['accepted', { terms: { billingModel: ACCEPTED_SUBMISSION } }, 'decidedAt'],
    ['with an Application', { terms: { billingModel: APPLICATION_CREATED } }, 'applicationCreatedAt'],
    ['cleared', { terms: { billingModel: PRE_UNDERWRITING_CLEARED } }, 'applicationCreatedAt'],
  ])('becomes billable in one event, from the time of the fact: %s', async (_, options, fact) => {
    const id = await leftPending(options);
    const events = (await service.eventsOf(id)).length;
    service.at('2026-11-20T12:00:00Z');
    await service.work();
    const row = await rowOf(id);
    expect(row).toMatchObject({ billingStatus: BillingStatus.BILLABLE, billableAt: row[fact] });
    expect((await service.eventsOf(id)).length).toBe(events + 1);
    await service.work();
    expect((await service.eventsOf(id)).length).toBe(events + 1);
    service.at('2026-11-20T10:00:00Z');
  });

  it('becomes not billable for a rejected submission', async () => {
    const enquiry = { creditScreening: { provider: 'p', companyStatus: ScreeningResult.FAIL } };
    const id = await leftPending({ enquiry });
    expect((await rowOf(id)).status).toBe(Status.REJECTED);
    await service.work();
    expect(await rowOf(id)).toMatchObject({
      billingStatus: BillingStatus.NOT_BILLABLE,
      notBillableReason: NotBillableReason.REJECTED,
    });
  });

  it.each<[string, SubmitOptions]>([
    [
      'without an Application',
      {
        level: Level.BASIC,
        accountId: newId<AccountId>(),
        terms: { billingModel: APPLICATION_CREATED, applicationMinting: ApplicationMinting.ON_PROMOTION },
      },
    ],
    [
      'in pre-underwriting by staff',
      { enquiry: FAILING, terms: { billingModel: PRE_UNDERWRITING_CLEARED, ...QUEUE } },
    ],
  ])('stays pending where the facts do not settle it: %s', async (_, options) => {
    const id = await leftPending(options);
    const events = await service.eventsOf(id);
    await service.work();
    expect((await rowOf(id)).billingStatus).toBe(BillingStatus.PENDING);
    expect(await service.eventsOf(id)).toEqual(events);
  });
});

it('finds them through an index that holds nothing else', async () => {
  await service.submit();
  const { rows } = await service.context.pool.query(
    "SELECT pg_get_expr(indpred, indrelid) AS predicate FROM pg_index WHERE indexrelid = 'submission_unsettled_billing_idx'::regclass",
  );
  const predicate = rows[0]?.predicate as string;
  const held = await service.context.pool.query(
    `SELECT status, billing_model FROM submission WHERE ${predicate}`,
  );
  // Only the one whose pre-underwriting is with staff.
  expect(held.rows).toEqual([{ status: 2, billing_model: PRE_UNDERWRITING_CLEARED }]);
});
