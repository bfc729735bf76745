import type { EventId } from '@supplier/lib/ids';
import { consume, statusChanged } from '../../testing/status-changes.ts';
import { recorded, startPostingEngine, type TestEngine } from '../../testing/test-engine.ts';
import { openTestService, START, type TestService } from '../../testing/test-service.ts';
import type { Random } from '../domain/schedule.ts';
import { signatureOf } from '../domain/signature.ts';
import type { PostResult } from '../guarded-client/index.ts';

/** The schedule of the contract: seconds before each further attempt, and how far each may be off. */
const GAPS_SECONDS = [15, 45, 120, 420, 1_200, 3_600, 3_600];
const JITTER = 0.2;

const LIMIT_MS = 30_000;
/** How long every attempt takes: gaps are counted from its end. */
const ATTEMPT_MS = 9_500;
const HOUR_MS = 3_600_000;

const FAILED: PostResult = {
  error: 'status',
  statusCode: 503,
  dnsMs: undefined,
  connectMs: undefined,
  tlsMs: undefined,
  statusMs: ATTEMPT_MS,
  resolvedIp: '127.0.0.1',
  tlsVersion: 'TLSv1.3',
  answerHead: new Uint8Array(),
};

let service: TestService;
let engine: TestEngine | undefined;
beforeAll(async () => {
  service = await openTestService();
});
afterAll(() => service?.close());
beforeEach(() => service.clock.set(START));
afterEach(() => engine?.delivery.stop());

/** Always the same numbers, and no pattern in them. */
function numbersFrom(seed: number): Random {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Sent {
  readonly at: Date;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** An event recorded as any other, and an engine whose every post is noted, takes its time, and fails. */
async function startFailing(random: Random) {
  const { accountId, secret } = await service.createEndpoint();
  const change = statusChanged({ accountId, occurredAt: START });
  await consume(service.context, change);
  const sent: Sent[] = [];
  const client = {
    async post(_to: unknown, headers: Record<string, string>, body: Uint8Array) {
      sent.push({ at: service.clock.now(), headers, body: Buffer.from(body).toString() });
      service.clock.advance(ATTEMPT_MS);
      return FAILED;
    },
  };
  engine = startPostingEngine(service, client, { random });
  return { eventId: change.eventId, secret, sent, started: engine };
}

/** When the attempt after the `count`th is due, once the `count`th is recorded as failed. */
async function dueAfter(on: TestEngine, eventId: EventId, count: number): Promise<Date> {
  await on.until(async () => {
    const { attemptCount, nextAttemptAt } = await recorded(service, eventId);
    return attemptCount === count && nextAttemptAt !== null;
  });
  const { nextAttemptAt } = await recorded(service, eventId);
  if (nextAttemptAt === null) throw new Error('nothing is due any more');
  return nextAttemptAt;
}

describe('an event that is never taken', () => {
  it.each<[string, Random]>([
    ['without jitter', () => 0.5],
    ['with the least jitter', () => 0],
    ['with the most jitter', () => 1 - 2 ** -32],
    ['with jitter as it falls', numbersFrom(1)],
    ['with other jitter', numbersFrom(20_261_120)],
  ])(
    'is sent eight times over two and a half hours, the same each time and signed afresh: %s',
    async (_how, random) => {
      const { eventId, secret, sent, started } = await startFailing(random);
      for (const [index, gap] of GAPS_SECONDS.entries()) {
        const due = await dueAfter(started, eventId, index + 1);
        const ended = service.clock.now();
        const waits = due.getTime() - ended.getTime();
        expect(waits).toBeGreaterThanOrEqual(gap * 1_000 * (1 - JITTER));
        expect(waits).toBeLessThanOrEqual(gap * 1_000 * (1 + JITTER));

        service.clock.set(new Date(due.getTime() - 1));
        await started.polls(2);
        expect(sent).toHaveLength(index + 1);
        service.clock.set(due);
        await started.until(() => sent.length === index + 2);
        expect(sent.at(-1)?.at).toEqual(due);
      }
      await started.until(async () => (await recorded(service, eventId)).state === 'exhausted');
      service.clock.advance(7 * 24 * HOUR_MS);
      await started.polls(3);

      expect(sent).toHaveLength(8);
      expect(started.lines.map(({ msg }) => msg)).toContain('the last attempt failed; delivery has ended');
      for (const { at, headers, body } of sent) {
        const seconds = Math.floor(at.getTime() / 1_000);
        expect(body).toBe(sent[0]?.body);
        expect(JSON.parse(body)).toMatchObject({ id: eventId, type: 'submission.status_changed' });
        expect(headers).toMatchObject({
          'Svc-Webhook-Id': eventId,
          'Svc-Webhook-Timestamp': String(seconds),
          'Svc-Webhook-Signature': signatureOf(secret, seconds, Buffer.from(body)),
        });
      }
      expect(new Set(sent.map(({ headers }) => headers['Svc-Webhook-Signature'])).size).toBe(8);
      const overall = Number(sent.at(-1)?.at) - Number(START);
      expect(overall).toBeGreaterThan(2.5 * HOUR_MS * (1 - JITTER));
      expect(overall).toBeLessThan(2.5 * HOUR_MS * (1 + JITTER) + 8 * ATTEMPT_MS);

      const event = await recorded(service, eventId);
      expect(event).toMatchObject({ attemptCount: 8, nextAttemptAt: null, leaseUntil: null });
      expect(
        event.attempts.map((attempt) => [attempt.number, attempt.statusCode, attempt.errorClass]),
      ).toEqual(Array.from({ length: 8 }, (_, index) => [index + 1, 503, 'status']));
      expect(event.attempts.map(({ startedAt }) => startedAt)).toEqual(sent.map(({ at }) => at));
    },
    LIMIT_MS,
  );
});

describe('an event that is taken late', () => {
  it.each([2, 5, 8])(
    'is delivered by attempt %i, and no other follows',
    async (last) => {
      const { accountId } = await service.createEndpoint();
      const change = statusChanged({ accountId, occurredAt: START });
      await consume(service.context, change);
      const ids: (string | undefined)[] = [];
      const client = {
        async post(_to: unknown, headers: Record<string, string>): Promise<PostResult> {
          ids.push(headers['Svc-Webhook-Id']);
          return ids.length === last ? { ...FAILED, error: undefined, statusCode: 204 } : FAILED;
        },
      };
      const started = startPostingEngine(service, client);
      engine = started;
      for (let number = 1; number < last; number += 1) {
        service.clock.set(await dueAfter(started, change.eventId, number));
      }
      await started.until(async () => (await recorded(service, change.eventId)).state === 'delivered');
      service.clock.advance(24 * HOUR_MS);
      await started.polls(3);
      expect(ids).toEqual(Array(last).fill(change.eventId));
    },
    LIMIT_MS,
  );
});
