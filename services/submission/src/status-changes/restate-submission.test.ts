import { fromBinary } from '@bufbuild/protobuf';
import { RefusalCode, refusalOf } from '@supplier/lib/rpc/refusal';
import { forAllTests } from '@supplier/lib/testing';
import { type AccountId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { toDate, toTimestamp } from '@supplier/lib/text/time';
import { EventEnvelopeSchema } from '@supplier/proto/common/v1/event';
import { ReturnReasonCategory, Status } from '@supplier/proto/common/v1/status';
import { StatusChange, SubmissionStatusChangedSchema } from '@supplier/proto/submission/v1/events';
import { RestatementReason } from '@supplier/proto/submission/v1/status_changes';
import { basicSubmissions } from '../../testing/basic-submissions.ts';
import { openTestService, type SubmitOptions } from '../../testing/test-service.ts';

const { TEST, REDELIVERY } = RestatementReason;
const START = '2026-11-20T10:00:00.000Z';

const service = forAllTests(() => openTestService());
beforeEach(() => service.at(START));

const restate = (submissionId: string, reason = TEST) =>
  service.as('webhook').restateSubmission({ submissionId, reason });

async function accept(options: SubmitOptions = {}) {
  const { id } = await service.submit(options);
  await service.decide(id);
  return id;
}

const returnIt = (submissionId: SubmissionId) =>
  service.staff.returnSubmission({
    submissionId,
    reasonCategory: ReturnReasonCategory.OVERDUE_FILINGS,
  });

async function changesOf(id: SubmissionId) {
  const rows = await service.context.db.domainEvent.findMany({
    where: { aggregateId: id, type: SubmissionStatusChangedSchema.typeName },
    orderBy: { eventId: 'asc' },
  });
  return rows.map((row) => {
    const envelope = fromBinary(EventEnvelopeSchema, row.envelope);
    return { envelope, message: fromBinary(SubmissionStatusChangedSchema, envelope.payload) };
  });
}

async function latestOf(id: SubmissionId) {
  const latest = (await changesOf(id)).at(-1);
  if (!latest) throw new Error('no change was emitted');
  return latest;
}

/** Returns the row without the columns that a restatement changes. */
async function rowOf(id: SubmissionId) {
  const { changedAt, version, ...row } = await service.context.db.submission.findUniqueOrThrow({
    where: { id },
    include: { application: true },
  });
  return row;
}

describe('a restatement', () => {
  it.each([
    [TEST, StatusChange.TEST],
    [REDELIVERY, StatusChange.REDELIVERY],
  ])(
    'for reason %i emits the current state again, as change %i, with the returned id and time',
    async (reason, change) => {
      const id = await accept();
      const { message: before } = await latestOf(id);
      service.at('2026-11-20T11:00:00.000Z');
      const { eventId, occurredAt } = await restate(id, reason);
      const { envelope, message } = await latestOf(id);
      expect(message).toEqual({ ...before, change });
      expect({ eventId: envelope.eventId, occurredAt: envelope.occurredAt }).toEqual({ eventId, occurredAt });
      expect(envelope.occurredAt).toEqual(toTimestamp(new Date('2026-11-20T11:00:00.000Z')));
    },
  );

  it('has a later time and a higher version than all before, even concurrently and with a stopped clock', async () => {
    const id = await accept();
    await Promise.all(Array.from({ length: 10 }, () => restate(id)));
    const changes = await changesOf(id);
    expect(changes).toHaveLength(11);
    const times = changes.map(({ envelope }) =>
      envelope.occurredAt ? toDate(envelope.occurredAt).getTime() : 0,
    );
    const versions = changes.map(({ envelope }) => envelope.aggregateVersion);
    for (const numbers of [times, versions.map(Number)]) {
      expect(new Set(numbers).size).toBe(11);
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    }
  });

  it.each<[string, () => Promise<SubmissionId>]>([
    ['received', async () => (await service.submit({ terms: { decisionMode: 2 } })).id],
    ['accepted and billable', () => accept()],
    [
      'returned',
      async () => {
        const id = await accept();
        await returnIt(id);
        return id;
      },
    ],
  ])('of a submission that is %s changes only the time of its last change', async (_, make) => {
    const id = await make();
    const before = await rowOf(id);
    await restate(id, REDELIVERY);
    expect(await rowOf(id)).toEqual(before);
    expect((await service.eventsOf(id)).at(-1)).toBe('SubmissionStatusChanged');
  });

  it('of an accepted basic submission mints no second Application', async () => {
    const submitted = await basicSubmissions(service).submit();
    expect(submitted.submission.status).toBe(Status.ACCEPTED);
    await restate(submitted.id);
    await Promise.all([service.work(), service.work(), service.work()]);
    await restate(submitted.id);
    await service.work();
    expect(await service.context.db.application.count({ where: { submissionId: submitted.id } })).toBe(1);
  });

  it('of an accepted basic submission awaiting promotion mints no Application', async () => {
    const submitted = await basicSubmissions(service).submit({ terms: { applicationMinting: 2 } });
    await restate(submitted.id);
    await service.work();
    expect(await service.context.db.application.count({ where: { submissionId: submitted.id } })).toBe(0);
  });

  it('is in the audit log', async () => {
    const id = await accept();
    await restate(id);
    expect(await service.context.db.auditEntry.findMany({ where: { target: id } })).toMatchObject([
      { actor: 'webhook', action: 'RestateSubmission' },
    ]);
  });

  it('is made once for an idempotency key, and returns the first result, even concurrently', async () => {
    const id = await accept();
    const other = await accept();
    const emitted = (await changesOf(id)).length;
    const call = (submissionId: SubmissionId, idempotencyKey: string) =>
      service.as('webhook').restateSubmission({ submissionId, reason: TEST, idempotencyKey });
    const answers = await Promise.all(Array.from({ length: 4 }, () => call(id, 'k')));
    await returnIt(id);
    for (const answer of [...answers, await call(id, 'k')]) expect(answer).toEqual(answers[0]);
    expect((await changesOf(id)).length).toBe(emitted + 2);
    const changes = (await changesOf(id)).map(({ envelope }) => envelope.eventId);
    expect(changes).toContain(answers[0]?.eventId);
    const further = [await call(id, 'l'), await call(other, 'k'), await restate(id), await restate(id)];
    expect(new Set([...further, answers[0]].map((answer) => answer?.eventId)).size).toBe(5);
    const entries = { where: { target: id, action: 'RestateSubmission' } };
    expect(await service.context.db.auditEntry.count(entries)).toBe(4);
  });

  it('of an unknown submission is rejected and stores nothing', async () => {
    const id = newId<SubmissionId>();
    expect(refusalOf(await restate(id).catch((error: unknown) => error))?.code).toBe(RefusalCode.NOT_FOUND);
    expect(await service.eventsOf(id)).toEqual([]);
    expect(await service.context.db.auditEntry.count({ where: { target: id } })).toBe(0);
  });

  it('without a reason is rejected and emits nothing', async () => {
    const id = await accept();
    const emitted = await service.eventsOf(id);
    const error = await restate(id, RestatementReason.UNSPECIFIED).catch((cause: unknown) => cause);
    expect(refusalOf(error)?.code).toBe(RefusalCode.VALIDATION_ERROR);
    expect(await service.eventsOf(id)).toEqual(emitted);
  });
});

describe('handed_off', () => {
  const documentFirst = () => ({
    accountId: newId<AccountId>(),
    terms: { enrolments: { documentFirst: true } },
  });
  const emitted = async (id: SubmissionId) =>
    (await changesOf(id)).map(({ message }) => [message.submission?.status, message.handedOff]);

  it('is set on every event of an accepted submission that was enrolled for documents first', async () => {
    const id = await accept(documentFirst());
    await restate(id);
    await returnIt(id);
    await restate(id);
    expect(await emitted(id)).toEqual([
      [Status.ACCEPTED, true],
      [Status.ACCEPTED, true],
      [Status.RETURNED, false],
      [Status.RETURNED, false],
    ]);
  });

  it('is set for a basic submission that is accepted immediately', async () => {
    const { id } = await basicSubmissions(service).submit(documentFirst());
    expect(await emitted(id)).toEqual([[Status.ACCEPTED, true]]);
  });

  it('is not set for accounts that are not enrolled, or submissions that are not accepted', async () => {
    const plain = await accept({ terms: { enrolments: { arrivalScreen: true } } });
    const { id: waiting } = await service.submit({
      ...documentFirst(),
      terms: { decisionMode: 2, enrolments: { documentFirst: true } },
    });
    await restate(waiting);
    expect(await emitted(plain)).toEqual([[Status.ACCEPTED, false]]);
    expect(await emitted(waiting)).toEqual([[Status.RECEIVED, false]]);
  });
});
