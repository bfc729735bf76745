import { create, toBinary } from '@bufbuild/protobuf';
import { type Bus, connectBus, startConsumer, unchecked } from '@supplier/lib/events/event-bus';
import { eventually, forAllTests, startTestProcess, type TestProcess, testNats } from '@supplier/lib/testing';
import { type AccountId, newId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { EventEnvelopeSchema } from '@supplier/proto/common/v1/event';
import { SubmissionStatusChangedSchema } from '@supplier/proto/submission/v1/events';
import { type SubmissionEvent, submissionOf } from '../../testing/submission-events.ts';
import { linesOf } from '../../testing/test-ledger.ts';
import { openTestService } from '../../testing/test-service.ts';
import { applySubmissionEvents, SUBMISSION_EVENTS } from './apply-submission-events.ts';

const name = `test${newId().replaceAll('-', '').slice(-12)}`;
const stream = name.toUpperCase();
const subject = `supplier.${name}.SubmissionStatusChanged.billing`;

let bus: Bus;
const processes: TestProcess[] = [];
afterAll(async () => {
  await bus?.connection()?.request(`$JS.API.STREAM.DELETE.${stream}`);
  for (const process of processes) await process.stop();
});
const service = forAllTests(() => openTestService());
beforeAll(async () => {
  bus = connectBus(startProcess(), testNats());
  const connection = await eventually('the bus is connected', () => bus.connection());
  const config = { name: stream, subjects: [`supplier.${name}.>`], storage: 'memory' };
  await connection.request(`$JS.API.STREAM.CREATE.${stream}`, JSON.stringify(config));
  const durable = {
    ...{ durable_name: 'billing', ack_policy: 'explicit', deliver_policy: 'all', max_deliver: -1 },
    ...{ filter_subject: subject, replay_policy: 'instant' },
  };
  await connection.request(
    `$JS.API.CONSUMER.CREATE.${stream}.billing.${subject}`,
    JSON.stringify({ stream_name: stream, config: durable }),
  );
  for (let count = 0; count < 3; count += 1) consume();
});

function startProcess(): TestProcess {
  const process = startTestProcess('billing-test');
  processes.push(process);
  return process;
}

/** Consumes the stream in a separate process. */
function consume(): void {
  const process = startProcess();
  startConsumer(process, {
    bus: connectBus(process, testNats()),
    stream,
    consumer: 'billing',
    subject,
    isAuthentic: unchecked,
    pool: service.context.pool,
    events: SUBMISSION_EVENTS,
    apply: applySubmissionEvents,
  });
}

async function publish(events: readonly SubmissionEvent[]): Promise<void> {
  const published = events.map(({ id, aggregateId, version, occurredAt, context, message }) => {
    const envelope = create(EventEnvelopeSchema, {
      eventId: id,
      type: message.$typeName,
      aggregateId,
      aggregateVersion: version,
      occurredAt: toTimestamp(occurredAt),
      ...context,
      payload: toBinary(SubmissionStatusChangedSchema, message),
    });
    return bus.connection()?.request(subject, toBinary(EventEnvelopeSchema, envelope));
  });
  await Promise.all(published);
}

describe('three consumers of one stream', () => {
  it('post the lines of every event once', async () => {
    const accountId = newId<AccountId>();
    const submissions = Array.from({ length: 200 }, () => submissionOf({ accountId }));
    await publish(submissions.flatMap((one) => [one.returned(), one.billable(), one.returned()]));
    await publish(submissions.toReversed().map((one) => one.billable()));
    await eventually(
      'all are applied',
      async () => (await linesOf(service.context, accountId)).length === 400,
    );
    const kinds = (await linesOf(service.context, accountId)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'charge')).toHaveLength(200);
    expect(await service.context.db.failedEvent.count()).toBe(0);
  });

  it('keep an event that breaks its contract for a retry and apply the rest of its set', async () => {
    const accountId = newId<AccountId>();
    const submissions = Array.from({ length: 63 }, () => submissionOf({ accountId }));
    const good = submissions.map((one) => one.billable());
    const broken = submissionOf({ accountId }).broken['billable without a time']();
    await publish([...good.slice(0, 30), broken, ...good.slice(30)]);
    await eventually(
      'the others are charged',
      async () => (await linesOf(service.context, accountId)).length === 63,
    );
    const [kept] = await eventually('the broken one is kept', async () => {
      const rows = await service.context.db.failedEvent.findMany();
      return rows.length > 0 && rows;
    });
    expect(kept).toMatchObject({ eventId: broken.id, consumer: 'billing', parkedAt: null });
    expect(kept?.failure).toContain('messages.ts');
  });
});
