import { toBinary } from '@bufbuild/protobuf';
import { type Bus, connectBus, startConsumer } from '@supplier/lib/event-bus';
import { newId } from '@supplier/lib/ids';
import { eventually, startTestProcess, type TestProcess, testNats } from '@supplier/lib/testing';
import { type EventEnvelope, EventEnvelopeSchema } from '@supplier/proto/common/v1/event';
import { BillingModel } from '@supplier/proto/common/v1/status';
import { NOW, submissionOf } from '../../testing/submission-events.ts';
import { openTestService, type TestService } from '../../testing/test-service.ts';
import { applySubmissionEvents } from './apply-submission-events.ts';
import { SUBMISSION_EVENTS } from './read-lead-event.ts';

const name = `test${newId().replaceAll('-', '').slice(-12)}`;
const stream = name.toUpperCase();

let service: TestService;
let testProcess: TestProcess;
let bus: Bus;
let commits = 0;
beforeAll(async () => {
  service = await openTestService();
  testProcess = startTestProcess('billing-test');
  bus = connectBus(testProcess, testNats());
  const connection = await eventually('the bus is connected', () => bus.connection());
  const config = { name: stream, subjects: [`supplier.${name}.>`], storage: 'memory' };
  await connection.request(`$JS.API.STREAM.CREATE.${stream}`, JSON.stringify(config));
});
afterAll(async () => {
  await bus?.connection()?.request(`$JS.API.STREAM.DELETE.${stream}`);
  await testProcess?.stop();
  await service?.close();
});

async function publish(envelopes: readonly EventEnvelope[]): Promise<void> {
  for (const envelope of envelopes) {
    const subject = `supplier.${name}.${envelope.type.split('.').at(-1)}.lead`;
    await bus.connection()?.request(subject, toBinary(EventEnvelopeSchema, envelope));
  }
}

const charges = () => service.context.db.ledgerEntry.count({ where: { kind: 'charge' } });

describe('the consumer of the submission service', () => {
  it('takes back only the broken event of a set, keeps it for later, and wakes the relay', async () => {
    const submissions = Array.from({ length: 63 }, () => submissionOf(BillingModel.PRE_UNDERWRITING_CLEARED));
    const bad = submissionOf(BillingModel.APPLICATION_CREATED);
    const broken = bad.broken.withoutTime();
    const good = submissions.map((one) => one.acceptedAndCleared());
    await publish([...good.slice(0, 30), broken, ...good.slice(30)]);

    startConsumer(testProcess, {
      bus,
      stream,
      consumer: 'billing',
      subject: `supplier.${name}.*.lead`,
      pool: service.context.pool,
      events: SUBMISSION_EVENTS,
      once: 'inbox',
      apply: applySubmissionEvents({
        clock: { now: () => NOW },
        wakes: {
          relay: () => {
            commits += 1;
          },
        },
      }),
    });
    await eventually('the good ones are charged', async () => (await charges()) === 63);
    const [kept] = await eventually('the broken one is kept', async () => {
      const rows = await service.context.db.failedEvent.findMany();
      return rows.length > 0 && rows;
    });
    expect(kept).toMatchObject({ eventId: broken.eventId, consumer: 'billing', parkedAt: null });
    expect(kept?.failure).toContain('read-lead-event.ts');
    expect(await service.context.db.lead.count({ where: { submissionId: bad.submissionId } })).toBe(0);
    expect(await service.context.db.outbox.count()).toBe(63);
    expect(commits).toBeGreaterThan(0);

    // What was published twice, and what the submission service states again, adds nothing to the ledger.
    await publish([...good, ...submissions.map((one) => one.returned())]);
    await eventually(
      'all are credited',
      async () => (await service.context.db.ledgerEntry.count({ where: { kind: 'credit' } })) === 63,
    );
    expect(await charges()).toBe(63);
    expect(await service.context.db.outbox.count()).toBe(63);
  });
});
