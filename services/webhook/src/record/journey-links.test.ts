import { create } from '@bufbuild/protobuf';
import { RefusedEvent } from '@supplier/lib/events/event-bus';
import { RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import { forAllTests } from '@supplier/lib/testing';
import { type AccountId, type EventId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { renderStatus } from '@supplier/lib/text/status-object';
import { toTimestamp } from '@supplier/lib/text/time';
import { type Handoff, HandoffSchema, Status } from '@supplier/proto/common/v1/status';
import { StatusChange } from '@supplier/proto/submission/v1/events';
import { consume, statusChanged } from '../../testing/status-changes.ts';
import { recorded, recordedBody } from '../../testing/test-engine.ts';
import { openTestService, START } from '../../testing/test-service.ts';
import type { SubmissionOwner } from '../submission-client.ts';

const HANDOFF = create(HandoffSchema, {
  customerJourneyUrl: 'https://journey.test/j/secret',
  expiresAt: toTimestamp(new Date('2026-11-23T10:00:00.000Z')),
});

const service = forAllTests(() => openTestService());
beforeEach(() => service.clock.set(START));

const at = (ms: number) => new Date(START.getTime() + ms);

const find = (eventId: EventId) => recorded(service, eventId);
const bodyOf = (eventId: EventId) => recordedBody(service, eventId);

describe('journey link in a body', () => {
  /**
   * Returns the service with a submission service that records which links are requested, and returns the results of
   * `give`.
   */
  function contextWithLinks(requested: SubmissionId[], give = async (): Promise<Handoff> => HANDOFF) {
    return {
      ...service.context,
      handoffOf: (submissionId: SubmissionId) => {
        requested.push(submissionId);
        return give();
      },
    };
  }
  /** Returns the service with a submission service that reports one owner for every submission. */
  const contextOf = (owner: SubmissionOwner, requested: SubmissionId[] = []) => ({
    ...service.context,
    async handoffOf(submissionId: SubmissionId, asked: SubmissionOwner) {
      requested.push(submissionId);
      const isOwners = asked.accountId === owner.accountId && asked.environment === owner.environment;
      if (!isOwners) throw refuse(RefusalCode.NOT_FOUND, 'There is no such submission.');
      return HANDOFF;
    },
  });
  const available = (facts: Omit<Parameters<typeof statusChanged>[0], 'change'>) =>
    statusChanged({ ...facts, change: StatusChange.HANDOFF_AVAILABLE });

  it('is requested whenever the change has one, even when no other change came before', async () => {
    const requested: SubmissionId[] = [];
    const context = contextWithLinks(requested);
    const { accountId } = await service.createEndpoint();
    const first = available({ accountId, occurredAt: at(1) });
    const second = statusChanged({
      accountId,
      occurredAt: at(2),
      change: StatusChange.BILLING_DECIDED,
      handedOff: true,
    });
    await consume(context, first);
    await consume(context, second);
    expect(requested).toEqual([first.submissionId, second.submissionId]);
    for (const { eventId, submission } of [first, second]) {
      const expected = JSON.stringify(renderStatus({ ...submission, handoff: HANDOFF }));
      expect(expected).toContain('"customer_journey_url":"https://journey.test/j/secret"');
      expect(await bodyOf(eventId)).toContain(`"data":${expected}}`);
    }
  });

  it('is not requested for submissions that have none, or are no longer accepted', async () => {
    const requested: SubmissionId[] = [];
    const context = contextWithLinks(requested);
    const { accountId } = await service.createEndpoint();
    const returned = { status: Status.RETURNED, change: StatusChange.RETURNED, handedOff: true };
    await consume(context, statusChanged({ accountId, occurredAt: at(1) }));
    await consume(context, statusChanged({ accountId, occurredAt: at(1), ...returned }));
    expect(requested).toEqual([]);
  });

  it('is requested only for new changes that an active endpoint receives, and not again when a stream is refilled', async () => {
    const requested: SubmissionId[] = [];
    const context = contextWithLinks(requested);
    const { accountId } = await service.createEndpoint();
    const known = available({ accountId, occurredAt: at(1) });
    await consume(context, known);
    requested.length = 0;
    const wanted = available({ accountId, occurredAt: at(2) });
    const tooEarly = available({ accountId, occurredAt: at(-1) });
    const nobodys = available({ accountId: newId<AccountId>(), occurredAt: at(2) });
    await consume(context, known, tooEarly, wanted, nobodys);
    expect(requested).toEqual([wanted.submissionId]);
    await consume(context, known, tooEarly, wanted, nobodys);
    expect(requested).toEqual([wanted.submissionId]);
    expect((await find(tooEarly.eventId)).state).toBe('dropped');
  });

  it('is requested once for all changes of a submission in a set, with limited concurrency', async () => {
    const requested: SubmissionId[] = [];
    let underWay = 0;
    let peak = 0;
    const context = contextWithLinks(requested, async () => {
      underWay += 1;
      peak = Math.max(peak, underWay);
      await new Promise((resolve) => setImmediate(resolve));
      underWay -= 1;
      return HANDOFF;
    });
    const { accountId } = await service.createEndpoint();
    const changes = Array.from({ length: 32 }, (_, ms) => available({ accountId, occurredAt: at(ms) }));
    const more = changes.map(({ submissionId }) =>
      available({ accountId, submissionId, occurredAt: at(99) }),
    );
    await consume(context, ...changes, ...more);
    expect(requested.toSorted()).toEqual(changes.map(({ submissionId }) => submissionId).toSorted());
    expect(peak).toBeLessThanOrEqual(16);
    for (const { eventId } of more) expect(await bodyOf(eventId)).toContain('https://journey.test/j/secret');
  });

  it('is requested without holding a lock: another change of the same submission is recorded meanwhile', async () => {
    const { accountId } = await service.createEndpoint();
    const waiting = available({ accountId, occurredAt: at(1) });
    const other = statusChanged({ accountId, submissionId: waiting.submissionId, occurredAt: at(2) });
    const context = contextWithLinks([], async () => {
      await consume(service.context, other);
      return HANDOFF;
    });
    await consume(context, waiting);
    expect(await find(waiting.eventId)).toMatchObject({ state: 'superseded', supersededBy: other.eventId });
  });

  it('is not omitted when the endpoint became active meanwhile: the set is retried', async () => {
    const requested: SubmissionId[] = [];
    const { accountId, endpointId } = await service.createEndpoint();
    await service.db.endpointActivity.updateMany({ where: { endpointId }, data: { activeUntil: START } });
    const active = available({ accountId: (await service.createEndpoint()).accountId, occurredAt: at(1) });
    const change = available({ accountId, occurredAt: at(10) });
    const context = contextWithLinks(requested, async () => {
      await service.db.endpointActivity.createMany({
        data: [{ endpointId, activeFrom: at(5) }],
        skipDuplicates: true,
      });
      return HANDOFF;
    });
    await expect(consume(context, active, change)).rejects.toThrow('active');
    expect(await service.db.event.count({ where: { accountId } })).toBe(0);
    await consume(context, active, change);
    expect(await bodyOf(change.eventId)).toContain('https://journey.test/j/secret');
  });

  it.each([
    ['another account', (owner: SubmissionOwner) => ({ ...owner, accountId: newId<AccountId>() })],
    ['another environment', (owner: SubmissionOwner) => ({ ...owner, environment: 'production' as const })],
  ])('is not given to an event that names the submission of %s, which is refused', async (_, ownerOf) => {
    const { accountId } = await service.createEndpoint();
    const context = contextOf(ownerOf({ accountId, environment: 'sandbox' }));
    const forged = available({ accountId, occurredAt: at(1) });
    const refused = consume(context, forged);
    await expect(refused).rejects.toBeInstanceOf(RefusedEvent);
    await expect(refused).rejects.toThrow('a different account or environment');
    expect(await service.db.event.count({ where: { accountId } })).toBe(0);
  });

  it('of the owner is not passed to another account that a forged event of the same set names', async () => {
    const { accountId } = await service.createEndpoint();
    const other = await service.createEndpoint();
    const genuine = available({ accountId, occurredAt: at(1) });
    const { submissionId } = genuine;
    const forged = available({ accountId: other.accountId, submissionId, occurredAt: at(2) });
    const context = contextOf({ accountId, environment: 'sandbox' });
    for (const set of [
      [genuine, forged],
      [forged, genuine],
    ]) {
      await expect(consume(context, ...set)).rejects.toBeInstanceOf(RefusedEvent);
    }
    await consume(context, genuine);
    expect(await bodyOf(genuine.eventId)).toContain('https://journey.test/j/secret');
    expect(await service.db.event.count({ where: { accountId: other.accountId } })).toBe(0);
  });

  it("is not even requested when the event's submission differs from its envelope's", async () => {
    const requested: SubmissionId[] = [];
    const { accountId } = await service.createEndpoint();
    const { event } = available({ accountId, occurredAt: at(1) });
    const forged = { event: { ...event, aggregateId: newId() } };
    const consumed = consume(contextOf({ accountId, environment: 'sandbox' }, requested), forged);
    await expect(consumed).rejects.toBeInstanceOf(RefusedEvent);
    expect(requested).toEqual([]);
  });

  it('is required: while it is unavailable, nothing of the set is recorded', async () => {
    const context = contextWithLinks([], () => Promise.reject(new Error('unavailable')));
    const { accountId } = await service.createEndpoint();
    const event = available({ accountId, occurredAt: at(1) });
    const other = statusChanged({ accountId, occurredAt: at(1) });
    await expect(consume(context, other, event)).rejects.toThrow('unavailable');
    expect(await service.db.event.count({ where: { accountId } })).toBe(0);
  });
});
