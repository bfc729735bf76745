import { BillingModel, Environment } from '@supplier/proto/common/v1/status';
import { announcements, deliver, submissionOf } from '../../testing/submission-events.ts';
import { openTestDatabase, type TestDatabase } from '../../testing/test-database.ts';
import type { ServiceContext } from '../context.ts';

let database: TestDatabase;
let context: ServiceContext;
beforeAll(async () => {
  database = await openTestDatabase();
  context = { db: database.db, clock: { now: () => new Date('2026-11-20T10:00:00Z') } };
});
afterAll(async () => {
  await database?.db.$disconnect();
  await database?.close();
});

type Submission = ReturnType<typeof submissionOf>;

/** Everything billing knows of a submission, but for how far it has listened. */
async function ledgerOf({ submissionId }: Submission) {
  const { heardVersion, ...lead } = await database.db.lead.findUniqueOrThrow({
    where: { submissionId },
    include: { entries: true },
  });
  return { lead, told: await announcements(context, submissionId) };
}

describe('a status that is told again moves nothing', () => {
  it.each<[string, (submission: Submission) => ReturnType<Submission['accepted']>[]]>([
    ['a lead that waits', ({ received }) => [received()]],
    ['a charged lead', ({ accepted }) => [accepted()]],
    [
      'a charged lead with its Application',
      (s) => [s.accepted(), s.applicationCreated(), s.acceptedWithApplication()],
    ],
    ['a rejected lead', ({ rejected }) => [rejected()]],
    ['a duplicate', ({ duplicate }) => [duplicate()]],
    ['a returned lead', ({ accepted, returned }) => [accepted(), returned()]],
  ])('of %s, under every model', async (_, life) => {
    for (const model of [
      BillingModel.ACCEPTED_SUBMISSION,
      BillingModel.APPLICATION_CREATED,
      BillingModel.PRE_UNDERWRITING_CLEARED,
    ]) {
      for (const environment of [Environment.PRODUCTION, Environment.SANDBOX]) {
        const submission = submissionOf(model, environment);
        for (const event of life(submission)) await deliver(context, event);
        const before = await ledgerOf(submission);
        // The latest status, in events of their own: what a test event and a redelivery look like from here.
        for (const event of [life(submission).at(-1), life(submission).at(-1)]) {
          if (event) await deliver(context, event);
        }
        expect(await ledgerOf(submission)).toEqual(before);
      }
    }
  });
});
