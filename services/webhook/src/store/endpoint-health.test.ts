import { fromBinary } from '@bufbuild/protobuf';
import { forAllTests } from '@supplier/lib/testing';
import type { EndpointId, EventId } from '@supplier/lib/text/ids';
import { toDate } from '@supplier/lib/text/time';
import { EventEnvelopeSchema } from '@supplier/proto/common/v1/event';
import { Environment } from '@supplier/proto/common/v1/status';
import { DeliveryExhaustedSchema, EndpointRecoveredSchema } from '@supplier/proto/webhook/v1/events';
import { recordDue } from '../../testing/test-engine.ts';
import { openTestService, START } from '../../testing/test-service.ts';
import { claimAttempts } from '../deliver/queue.sql.ts';
import {
  type AttemptError,
  type ClaimedAttempt,
  interrupted,
  MAXIMUM_ATTEMPTS,
  type Outcome,
  verdictOn,
} from '../model/attempt.ts';
import type { Recovery } from './endpoint-health.sql.ts';
import { settleAttempts } from './settle-attempts.sql.ts';

const at = (ms: number) => new Date(START.getTime() + ms);
const middle = () => 0.5;

const service = forAllTests(() => openTestService());
beforeEach(async () => {
  service.clock.set(START);
  await service.pool.query('TRUNCATE outbox, domain_event');
});

/** Creates an endpoint with that many claimed attempts. */
async function claimed(count: number) {
  const endpoint = await service.createEndpoint();
  await recordDue(service, endpoint, count);
  const requests = [{ endpointId: endpoint.endpointId, slots: count }];
  return { ...endpoint, attempts: await claimAttempts(service.pool, requests, 20_000) };
}

function ended(attempt: ClaimedAttempt | undefined, ms: number, error?: AttemptError): Outcome {
  if (!attempt) throw new Error('too few attempts were claimed');
  const { number } = attempt;
  return {
    ...interrupted(attempt, at(ms), middle),
    error,
    statusCode: error === undefined ? 204 : undefined,
    verdict: verdictOn({ number, endedAt: at(ms), error }, middle),
  };
}

const failed = (attempt: ClaimedAttempt | undefined, ms: number) => ended(attempt, ms, 'timeout');

async function health(endpointId: EndpointId) {
  const row = await service.db.endpointHealth.findUnique({ where: { endpointId } });
  return row && [row.failingSince, row.failedAttempts, row.notifiedAt];
}

async function outboxOf(type: string) {
  const rows = await service.db.domainEvent.findMany({ where: { type }, orderBy: { eventId: 'asc' } });
  return rows.map(({ envelope }) => fromBinary(EventEnvelopeSchema, envelope));
}

const settle = (outcomes: Outcome[], recovered?: (recovery: Recovery) => void) =>
  settleAttempts(service.pool, outcomes, recovered);

describe('endpoint health', () => {
  it('is not written while all attempts succeed', async () => {
    const { endpointId, attempts } = await claimed(3);
    await settle(attempts.map((attempt) => ended(attempt, 1)));
    expect(await health(endpointId)).toBeNull();
    await settle([]);
  });

  it('counts failures from the first, across several groups, and ends with a success', async () => {
    const { endpointId, attempts } = await claimed(4);
    await settle([failed(attempts[1], 20), failed(attempts[0], 10)]);
    expect(await health(endpointId)).toEqual([at(10), 2n, null]);
    await settle([failed(attempts[2], 30)]);
    expect(await health(endpointId)).toEqual([at(10), 3n, null]);
    expect(await settle([ended(attempts[3], 40)])).toEqual([true]);
    expect(await health(endpointId)).toEqual([null, 0n, null]);
    expect(await outboxOf(EndpointRecoveredSchema.typeName)).toEqual([]);
  });

  it.each([
    ['a failure after a success', 10, 20, [at(20), 1n, null]],
    ['a success after a failure', 20, 10, null],
  ])(
    'is decided by time rather than by position when a group contains %s',
    async (_name, good, bad, expected) => {
      for (const order of [1, -1]) {
        const { endpointId, attempts } = await claimed(2);
        await settle([ended(attempts[0], good), failed(attempts[1], bad)].toSorted(() => order));
        expect(await health(endpointId)).toEqual(expected);
      }
    },
  );

  it('ignores attempts that ended with their worker', async () => {
    const { endpointId, attempts } = await claimed(3);
    await settle([ended(attempts[0], 10, 'interrupted')]);
    expect(await health(endpointId)).toBeNull();
    await settle([failed(attempts[1], 20), ended(attempts[2], 30, 'interrupted')]);
    expect(await health(endpointId)).toEqual([at(20), 1n, null]);
  });

  it('ignores a second outcome of an attempt', async () => {
    const { endpointId, attempts } = await claimed(1);
    expect(await settle([failed(attempts[0], 10)])).toEqual([true]);
    expect(await settle([failed(attempts[0], 11)])).toEqual([false]);
    expect(await settle([ended(attempts[0], 12)])).toEqual([false]);
    expect(await health(endpointId)).toEqual([at(10), 1n, null]);
  });

  it('loses no count and causes no deadlock when groups of the same endpoints are settled concurrently', async () => {
    const endpoints = await Promise.all(Array.from({ length: 8 }, () => claimed(16)));
    const groups = Array.from({ length: 16 }, (_, index) => {
      const group = endpoints.map(({ attempts }) => failed(attempts[index], 10 + index));
      return index % 2 === 0 ? group : group.toReversed();
    });
    const first = await Promise.all(groups.map((group) => settle(group)));
    expect(first.flat().every(Boolean)).toBe(true);
    for (const { endpointId } of endpoints) expect((await health(endpointId))?.[1]).toBe(16n);
  });

  it('causes no deadlock when successes and failures of the same endpoints are settled concurrently', async () => {
    for (let round = 0; round < 5; round += 1) {
      const endpoints = await Promise.all(Array.from({ length: 6 }, () => claimed(8)));
      const groups = Array.from({ length: 8 }, (_, index) => {
        const group = endpoints.map(({ attempts }, place) =>
          (index + place) % 3 === 0 ? ended(attempts[index], index) : failed(attempts[index], index),
        );
        return index % 2 === 0 ? group : group.toReversed();
      });
      const first = await Promise.all(groups.map((group) => settle(group)));
      expect(first.flat().every(Boolean)).toBe(true);
    }
  });
});

describe('endpoint that operators were notified about', () => {
  it('recovers once, in the same commit as the success that ends its streak', async () => {
    const { accountId, endpointId, attempts } = await claimed(4);
    await settle([failed(attempts[0], 10), failed(attempts[1], 20)]);
    await service.db.endpointHealth.update({ where: { endpointId }, data: { notifiedAt: at(3_600_010) } });
    const recoveries: Recovery[] = [];
    const note = (recovery: Recovery) => recoveries.push(recovery);
    await Promise.all([
      settle([ended(attempts[2], 4_000_000)], note),
      settle([ended(attempts[3], 4_000_000)], note),
    ]);
    expect(await health(endpointId)).toEqual([null, 0n, null]);
    expect(recoveries).toEqual([{ endpointId, failingSince: at(10), recoveredAt: at(4_000_000) }]);
    const emitted = await outboxOf(EndpointRecoveredSchema.typeName);
    expect(emitted).toHaveLength(1);
    const message = fromBinary(EndpointRecoveredSchema, emitted[0]?.payload ?? new Uint8Array());
    expect(message).toMatchObject({ accountId, endpointId, environment: Environment.SANDBOX });
    expect(message.failingSince && toDate(message.failingSince)).toEqual(at(10));
    expect(message.recoveredAt && toDate(message.recoveredAt)).toEqual(at(4_000_000));
  });
});

describe('event whose last attempt failed', () => {
  it.each(['timeout', 'interrupted'] as const)(
    'is reported exactly once, even if another worker settles the same attempt (%s)',
    async (error) => {
      const endpoint = await service.createEndpoint();
      const [eventId] = await recordDue(service, endpoint, 1);
      await service.db.event.update({
        where: { id: eventId as EventId },
        data: { attemptCount: MAXIMUM_ATTEMPTS - 1 },
      });
      const requests = [{ endpointId: endpoint.endpointId, slots: 1 }];
      const [last] = await claimAttempts(service.pool, requests, 20_000);
      expect(last?.number).toBe(MAXIMUM_ATTEMPTS);
      const first = await Promise.all([1, 2, 3].map(() => settle([ended(last, 50, error)])));
      expect(first.flat().filter(Boolean)).toHaveLength(1);
      const emitted = await outboxOf(DeliveryExhaustedSchema.typeName);
      expect(emitted).toMatchObject([{ aggregateId: eventId, aggregateVersion: 1n }]);
      const message = fromBinary(DeliveryExhaustedSchema, emitted[0]?.payload ?? new Uint8Array());
      const { submissionId } = await service.db.event.findUniqueOrThrow({
        where: { id: eventId as EventId },
      });
      const { accountId, endpointId } = endpoint;
      expect(message).toMatchObject({
        accountId,
        environment: Environment.SANDBOX,
        endpointId,
        eventId,
        submissionId,
      });
      expect(message.exhaustedAt && toDate(message.exhaustedAt)).toEqual(at(50));
    },
  );

  it('is not reported while attempts are left', async () => {
    const { attempts } = await claimed(1);
    await settle([failed(attempts[0], 10)]);
    expect(await service.db.outbox.count()).toBe(0);
  });
});
