import { forAllTests, makeTestAuthority } from '@supplier/lib/testing';
import type { EventId } from '@supplier/lib/text/ids';
import { HOSTILE_RECEIVERS } from '../../testing/hostile-receivers.ts';
import { httpsReceiver, type Receiver } from '../../testing/receivers.ts';
import { recordDue, recorded, startPostingEngine } from '../../testing/test-engine.ts';
import { openTestService } from '../../testing/test-service.ts';
import { guardedClient } from '../guarded-client/index.ts';
import { addressPolicy } from '../model/address-policy.ts';

/** One receiver for each way in which an attempt can end: the guarded client is tested with all of them. */
const RECEIVERS = [
  ...new Map(HOSTILE_RECEIVERS.map((one) => [JSON.stringify(one.ends), one] as const)).values(),
];
/** Long enough for a busy machine to complete concurrent handshakes with them. */
const STATUS_MS = 4_000;
const HEALTHY_EVENTS = 50;

const receivers: Receiver[] = [];
afterAll(() => Promise.all(receivers.map((receiver) => receiver.close())));
const service = forAllTests(() => openTestService());

async function due(receiver: Receiver, count: number): Promise<EventId[]> {
  receivers.push(receiver);
  const endpoint = await service.createEndpoint({ url: `https://127.0.0.1:${receiver.port}/` });
  return recordDue(service, endpoint, count);
}

it('delivery records one attempt with the correct result for each kind of hostile receiver, without delaying a healthy one', async () => {
  const authority = await makeTestAuthority();
  const credentials = await authority.issue({ ips: ['127.0.0.1'] });
  const hostile: ((typeof RECEIVERS)[number] & { eventId: EventId })[] = [];
  // Sequentially: each begins a transaction, and the pool is too small for so many in parallel.
  for (const one of RECEIVERS) {
    const [eventId] = await due(await one.start({ authority, credentials }), 1);
    if (!eventId) throw new Error('nothing was recorded');
    hostile.push({ ...one, eventId });
  }
  const healthy = await due(
    await httpsReceiver(credentials, (_request, response) => response.end()),
    HEALTHY_EVENTS,
  );

  const client = guardedClient({
    policy: addressPolicy(['127.0.0.0/8']),
    extraCa: authority.pem,
    connectionsPerEndpoint: 8,
    statusMs: STATUS_MS,
    answerMs: 500,
  });
  const before = process.memoryUsage().rss;
  const started = performance.now();
  const engine = startPostingEngine(service, client);
  try {
    const settled = (ids: readonly EventId[]) => async () =>
      (await service.db.attempt.count({
        where: { eventId: { in: [...ids] }, number: 1, endedAt: { not: null } },
      })) === ids.length;
    await engine.until(settled(healthy));
    // All events reached the healthy receiver while the others were still hanging.
    expect(await settled(hostile.map(({ eventId }) => eventId))()).toBe(false);
    await engine.until(settled(hostile.map(({ eventId }) => eventId)));
    expect(performance.now() - started).toBeLessThan(STATUS_MS + 20_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);

    for (const { does, eventId, ends, orEnds = ends.error } of hostile) {
      const { state, attempts } = await recorded(service, eventId);
      // On a busy machine the next attempt, 15 s later, may have begun.
      const [{ errorClass, statusCode, resolvedIp } = { errorClass: 'none' }] = attempts;
      expect({ does, statusCode: statusCode ?? undefined, resolvedIp }).toEqual({
        does,
        statusCode: ends.statusCode,
        resolvedIp: '127.0.0.1',
      });
      expect([ends.error, orEnds]).toContain(errorClass ?? undefined);
      expect([does, state === 'delivered']).toEqual([does, ends.error === undefined]);
    }
    expect(await service.db.event.count({ where: { id: { in: healthy }, state: 'delivered' } })).toBe(
      HEALTHY_EVENTS,
    );
    expect(engine.attempts.filter(({ number }) => number === 1)).toHaveLength(
      RECEIVERS.length + HEALTHY_EVENTS,
    );
  } finally {
    await engine.delivery.stop();
    client.close();
  }
});
