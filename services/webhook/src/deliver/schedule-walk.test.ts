import { forAllTests } from '@supplier/lib/testing';
import type { EventId } from '@supplier/lib/text/ids';
import { consume, statusChanged } from '../../testing/status-changes.ts';
import { postResult, recorded, startPostingEngine, type TestEngine } from '../../testing/test-engine.ts';
import { openTestService, START } from '../../testing/test-service.ts';
import type { Random } from '../model/attempt.ts';
import { signatureOf } from '../model/signing.ts';

/** The retry schedule of the contract: seconds before each further attempt, and the jitter of each. */
const GAPS_SECONDS = [15, 45, 120, 420, 1_200, 3_600, 3_600];
const JITTER = 0.2;

const HOUR_MS = 3_600_000;
/** Longer than a busy machine takes between two steps. */
const SLACK_MS = 60_000;

const FAILED = postResult({ error: 'status', statusCode: 503 });

let engine: TestEngine | undefined;
const service = forAllTests(() => openTestService());
afterEach(async () => {
  await engine?.delivery.stop();
  await service.pool.query('TRUNCATE endpoint CASCADE');
});

/** Returns a reproducible sequence of pseudo-random numbers. */
function numbersFrom(seed: number): Random {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Sent {
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** Records an ordinary event and starts an engine whose every post is recorded and fails. */
async function startFailing(random: Random) {
  const { accountId, secret } = await service.createEndpoint();
  const change = statusChanged({ accountId, occurredAt: START });
  await consume(service.context, change);
  const sent: Sent[] = [];
  const client = {
    async post(_to: unknown, headers: Record<string, string>, body: Uint8Array) {
      sent.push({ headers, body: Buffer.from(body).toString() });
      return FAILED;
    },
  };
  engine = startPostingEngine(service, client, { random });
  return { eventId: change.eventId, secret, sent, started: engine };
}

/** Returns the wait in milliseconds between the `count`th attempt, once it is recorded as failed, and the next. */
async function waitAfter(on: TestEngine, eventId: EventId, count: number): Promise<number> {
  await on.until(async () => {
    const { attemptCount, nextAttemptAt } = await recorded(service, eventId);
    return attemptCount === count && nextAttemptAt !== null;
  });
  const { nextAttemptAt, attempts } = await recorded(service, eventId);
  const endedAt = attempts.at(-1)?.endedAt;
  if (!nextAttemptAt || !endedAt) throw new Error('nothing is due any more');
  return nextAttemptAt.getTime() - endedAt.getTime();
}

describe('event that is never accepted', () => {
  it.each<[string, Random]>([
    ['with the least jitter', () => 0],
    ['with the most jitter', () => 1 - 2 ** -32],
    ['with random jitter', numbersFrom(1)],
  ])(
    'is sent eight times over two and a half hours, unchanged and with a new signature each time: %s',
    async (_how, random) => {
      const { eventId, secret, sent, started } = await startFailing(random);
      let overallMs = 0;
      for (const [index, gap] of GAPS_SECONDS.entries()) {
        const waits = await waitAfter(started, eventId, index + 1);
        expect(waits).toBeGreaterThanOrEqual(gap * 1_000 * (1 - JITTER));
        expect(waits).toBeLessThanOrEqual(gap * 1_000 * (1 + JITTER));

        await service.passTime(waits - SLACK_MS);
        await started.polls(2);
        expect(sent).toHaveLength(index + 1);
        await service.passTime(SLACK_MS);
        await started.until(() => sent.length === index + 2);
        overallMs += waits;
      }
      await started.until(async () => (await recorded(service, eventId)).state === 'exhausted');
      await service.passTime(7 * 24 * HOUR_MS);
      await started.polls(3);

      expect(sent).toHaveLength(8);
      expect(started.lines.map(({ msg }) => msg)).toContain('delivery exhausted');
      for (const [index, { headers, body }] of sent.entries()) {
        const seconds = Math.floor(Number(started.attempts[index]?.startedAt) / 1_000);
        expect(body).toBe(sent[0]?.body);
        expect(JSON.parse(body)).toMatchObject({ id: eventId, type: 'submission.status_changed' });
        expect(headers).toMatchObject({
          'Svc-Webhook-Id': eventId,
          'Svc-Webhook-Timestamp': String(seconds),
          'Svc-Webhook-Signature': signatureOf(secret, seconds, Buffer.from(body)),
        });
      }
      expect(overallMs).toBeGreaterThanOrEqual(2.5 * HOUR_MS * (1 - JITTER));
      expect(overallMs).toBeLessThanOrEqual(2.5 * HOUR_MS * (1 + JITTER));

      const event = await recorded(service, eventId);
      expect(event).toMatchObject({ attemptCount: 8, nextAttemptAt: null, leaseUntil: null });
      expect(
        event.attempts.map((attempt) => [attempt.number, attempt.statusCode, attempt.errorClass]),
      ).toEqual(Array.from({ length: 8 }, (_, index) => [index + 1, 503, 'status']));
    },
  );
});

describe('event that is accepted late', () => {
  it.each([2, 8])('is delivered by attempt %i, and no other follows', async (last) => {
    const { accountId } = await service.createEndpoint();
    const change = statusChanged({ accountId, occurredAt: START });
    await consume(service.context, change);
    const ids: (string | undefined)[] = [];
    const client = {
      async post(_to: unknown, headers: Record<string, string>) {
        ids.push(headers['Svc-Webhook-Id']);
        return ids.length === last ? postResult() : FAILED;
      },
    };
    const started = startPostingEngine(service, client);
    engine = started;
    for (let number = 1; number < last; number += 1) {
      await service.passTime(await waitAfter(started, change.eventId, number));
    }
    await started.until(async () => (await recorded(service, change.eventId)).state === 'delivered');
    await service.passTime(24 * HOUR_MS);
    await started.polls(3);
    expect(ids).toEqual(Array(last).fill(change.eventId));
  });
});
