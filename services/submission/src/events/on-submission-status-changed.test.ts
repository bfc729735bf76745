import { fromBinary } from '@bufbuild/protobuf';
import type { SubmissionId } from '@supplier/lib/ids';
import { type EventEnvelope, EventEnvelopeSchema } from '@supplier/proto/common/v1/event';
import { basicLeads } from '../../testing/basic-leads.ts';
import {
  openSubmissionTests,
  type SubmissionTests,
  type SubmitOptions,
} from '../../testing/submission-tests.ts';
import type { Transaction } from '../db/database.ts';
import { onSubmissionStatusChanged } from './on-submission-status-changed.ts';

let tests: SubmissionTests;
beforeAll(async () => {
  tests = await openSubmissionTests();
});
afterAll(() => tests.close());

/** Delivers the changes of status told about a submission; resolves to how many had an effect. */
async function deliver(id: SubmissionId): Promise<number> {
  const { context } = tests;
  const handler = onSubmissionStatusChanged(context);
  const rows = await context.db.outbox.findMany({ where: { aggregateId: id, type: handler.type } });
  let applied = 0;
  for (const { envelope } of rows) {
    const event: EventEnvelope = fromBinary(EventEnvelopeSchema, envelope);
    await handler.handle(event, async (effect) => {
      applied += 1;
      await context.db.$transaction((tx: Transaction) => effect(tx));
      return true;
    });
  }
  return applied;
}
const accept = async (options: SubmitOptions = {}) => (await basicLeads(tests).submit(options)).id;
const referenceOf = async (id: SubmissionId) =>
  (await tests.context.db.submission.findUniqueOrThrow({ where: { id } })).applicationReference;

describe('the acceptance of a basic submission', () => {
  it('is followed by its Application, however often it is delivered', async () => {
    const id = await accept();
    await deliver(id);
    const reference = await referenceOf(id);
    await deliver(id);
    expect(reference).toMatch(/^APP-/);
    expect(await referenceOf(id)).toBe(reference);
  });

  it('is followed by its Application when its event tells of a handoff link too', async () => {
    const id = await accept({ terms: { enrolments: { documentFirst: true } } });
    await deliver(id);
    expect(await referenceOf(id)).toMatch(/^APP-/);
  });
});

it('a rejection is followed by nothing', async () => {
  const id = await accept({ terms: { thresholds: { minimumFundingAmount: 9_000_000 } } });
  expect(await deliver(id)).toBe(0);
  expect(await referenceOf(id)).toBeNull();
});
