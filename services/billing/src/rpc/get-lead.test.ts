import { Code, createClient, createRouterTransport } from '@connectrpc/connect';
import { newId } from '@supplier/lib/ids';
import { RefusalCode, refusalOf } from '@supplier/lib/refusal';
import { toTimestamp } from '@supplier/lib/time';
import { BillingService, EntryKind } from '@supplier/proto/billing/v1/billing';
import {
  BillingModel,
  BillingStatus,
  Environment,
  NotBillableReason,
} from '@supplier/proto/common/v1/status';
import { DECIDED_AT, deliver, RETURNED_AT, submissionOf } from '../../testing/submission-events.ts';
import { openTestDatabase, type TestDatabase } from '../../testing/test-database.ts';
import type { ServiceContext } from '../context.ts';
import { billingRoutes } from './index.ts';

let database: TestDatabase;
let context: ServiceContext;
beforeAll(async () => {
  database = await openTestDatabase();
  context = { pool: database.pool, db: database.db };
});
afterAll(() => database?.close());

const getLead = (submissionId: string) =>
  createClient(BillingService, createRouterTransport(billingRoutes(context))).getLead({ submissionId });

describe('GetLead', () => {
  it('answers with the state and the ledger lines, oldest first', async () => {
    const submission = submissionOf(BillingModel.ACCEPTED_SUBMISSION);
    const [accepted, returned] = [submission.accepted(), submission.returned()];
    await deliver(database, accepted);
    expect(await getLead(submission.submissionId)).toMatchObject({
      submissionId: submission.submissionId,
      accountId: submission.accountId,
      environment: Environment.PRODUCTION,
      billing: {
        billingModel: BillingModel.ACCEPTED_SUBMISSION,
        billingStatus: BillingStatus.BILLABLE,
        billableAt: toTimestamp(DECIDED_AT),
        notBillableReason: NotBillableReason.UNSPECIFIED,
      },
      entries: [{ kind: EntryKind.CHARGE, eventId: accepted.eventId, occurredAt: toTimestamp(DECIDED_AT) }],
    });

    await deliver(database, returned);
    const lead = await getLead(submission.submissionId.toUpperCase());
    expect(lead.billing).toMatchObject({
      billingStatus: BillingStatus.NOT_BILLABLE,
      notBillableReason: NotBillableReason.RETURNED,
    });
    expect(lead.billing?.billableAt).toBeUndefined();
    expect(lead.entries).toMatchObject([
      { kind: EntryKind.CHARGE, eventId: accepted.eventId },
      { kind: EntryKind.CREDIT, eventId: returned.eventId, occurredAt: toTimestamp(RETURNED_AT) },
    ]);
  });

  it('answers NOT_FOUND while billing has no lead for the submission', async () => {
    const error = await getLead(newId()).catch((refused: unknown) => refused);
    expect(error).toMatchObject({ code: Code.NotFound });
    expect(refusalOf(error)?.code).toBe(RefusalCode.NOT_FOUND);
  });
});
