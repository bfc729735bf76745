import { EventEmitter, once } from 'node:events';
import {
  type AccountId,
  type EndpointId,
  type EventId,
  newId,
  type SubmissionId,
} from '@supplier/lib/text/ids';
import { type Delivery, type DeliveryQueue, startEngine } from '../src/deliver/engine.ts';
import { attempts as attemptsWith } from '../src/deliver/make-attempt.ts';
import { databaseQueue } from '../src/deliver/start-delivery.ts';
import type { DeliveryBounds } from '../src/deliver/turns.ts';
import type { GuardedClient, PostResult } from '../src/guarded-client/index.ts';
import {
  type AttemptError,
  type ClaimedAttempt,
  endOf,
  interrupted,
  type Outcome,
  type Random,
  verdictOn,
} from '../src/model/attempt.ts';
import { bodyAad } from '../src/store/sealed-values.ts';
import { type TestService, testLog } from './test-service.ts';

const DAY_MS = 86_400_000;
const NO_JITTER: Random = () => 0.5;

const BOUNDS: DeliveryBounds = {
  total: 32,
  perEndpoint: 8,
  failing: 24,
  unproven: 28,
  endpointsPerClaim: 16,
  leaseMs: 20_000,
  pollMs: 10,
  stopMs: 300,
  stopRecordingMs: 500,
};

/** Returns the result of a post, by default of a success. */
export const postResult = (facts: Partial<PostResult> = {}): PostResult => ({
  error: undefined,
  statusCode: 200,
  dnsMs: undefined,
  connectMs: 1,
  tlsMs: 2,
  statusMs: 3,
  resolvedIp: '127.0.0.1',
  tlsVersion: 'TLSv1.3',
  asksForCertificate: false,
  answerHead: new Uint8Array(),
  ...facts,
});

/** Ends an attempt in a test: with an error class, or undefined for success. */
export type Script = (
  claimed: ClaimedAttempt,
  signal: AbortSignal,
) => Promise<AttemptError | undefined> | AttemptError | undefined;

export interface TestEngine {
  readonly delivery: Delivery;
  /** Started attempts, in order. */
  readonly attempts: ClaimedAttempt[];
  readonly lines: Record<string, unknown>[];
  /** Resolves when the engine has polled for due work `times` more times. */
  polls(times: number): Promise<void>;
  /** Resolves when the recorded events satisfy `condition`. */
  until(condition: () => Promise<boolean> | boolean): Promise<void>;
}

interface EngineOverrides {
  bounds?: Partial<DeliveryBounds>;
  queue?: Partial<DeliveryQueue>;
}

/** Starts the delivery engine with the real queue, and with attempts simulated by `script`. No jitter. */
export function startTestEngine(
  service: TestService,
  script: Script,
  overrides: EngineOverrides = {},
): TestEngine {
  return startTestEngineWith(service, overrides, async (claimed, signal) => {
    const startedAt = performance.now();
    const error = await script(claimed, signal);
    const endedAt = endOf(claimed, performance.now() - startedAt);
    const { number } = claimed;
    return {
      ...interrupted(claimed, endedAt, NO_JITTER),
      error,
      statusCode: error === undefined ? 200 : undefined,
      verdict: verdictOn({ number, endedAt, error }, NO_JITTER),
    };
  });
}

/** Starts the delivery engine with the real queue, and with attempts that post over `client` as in production. */
export function startPostingEngine(
  service: TestService,
  client: Pick<GuardedClient, 'post'>,
  overrides: EngineOverrides & { random?: Random } = {},
): TestEngine {
  const { keyRing } = service.context;
  const { random = NO_JITTER } = overrides;
  return startTestEngineWith(service, overrides, attemptsWith({ keyRing, client, random }));
}

function startTestEngineWith(
  service: TestService,
  overrides: EngineOverrides,
  make: (claimed: ClaimedAttempt, signal: AbortSignal) => Promise<Outcome>,
): TestEngine {
  const polled = new EventEmitter();
  const attempts: ClaimedAttempt[] = [];
  const { log, lines } = testLog();

  const delivery = startEngine({
    queue: { ...databaseQueue(service.pool), ...overrides.queue },
    attempt: (claimed, signal) => {
      attempts.push(claimed);
      return make(claimed, signal);
    },
    bounds: { ...BOUNDS, ...overrides.bounds },
    random: NO_JITTER,
    log,
    tidy: () => polled.emit('poll'),
  });

  async function polls(times: number): Promise<void> {
    for (let seen = 0; seen < times; seen += 1) await once(polled, 'poll');
  }
  return {
    delivery,
    attempts,
    lines,
    polls,
    async until(condition) {
      while (!(await condition())) await polls(1);
    },
  };
}

/**
 * Records `count` events of different submissions that became due at `time`, by default just now, in one statement and
 * without a wake-up.
 */
export async function recordDue(
  service: TestService,
  { accountId, endpointId }: { accountId: AccountId; endpointId: EndpointId },
  count: number,
  time?: Date,
  occurredAt = time,
): Promise<EventId[]> {
  const now = time ?? (await service.now());
  const eventIds = Array.from({ length: count }, () => newId<EventId>());
  await service.db.event.createMany({
    data: eventIds.map((id) => ({
      id,
      submissionId: newId<SubmissionId>(),
      accountId,
      environment: 'sandbox' as const,
      endpointId,
      change: 'decided' as const,
      occurredAt: occurredAt ?? now,
      recordedAt: now,
      sealedBody: service.context.keyRing.seal(Buffer.from('{}'), bodyAad(id)),
      state: 'pending' as const,
      attemptCount: 0,
      nextAttemptAt: now,
    })),
  });
  return eventIds;
}

export function recorded(service: TestService, eventId: EventId) {
  return service.db.event.findUniqueOrThrow({
    where: { id: eventId },
    include: { attempts: { orderBy: { number: 'asc' } } },
  });
}

/** Returns the body of an event; empty without one. */
export async function recordedBody(service: TestService, eventId: EventId): Promise<string> {
  const { sealedBody } = await recorded(service, eventId);
  if (!sealedBody || sealedBody.length === 0) return '';
  return Buffer.from(service.context.keyRing.open(sealedBody, bodyAad(eventId))).toString();
}

type Of = { accountId: AccountId; endpointId: EndpointId };

/**
 * Records one event of the endpoint at `recordedAt`, regardless of the current time, that awaits its next attempt. Its
 * change occurred days before, so that no test passes if one time is taken for the other.
 */
export async function recordWaiting(service: TestService, of: Of, recordedAt: Date): Promise<EventId> {
  const [eventId] = await recordDue(service, of, 1, recordedAt, new Date(recordedAt.getTime() - 3 * DAY_MS));
  if (!eventId) throw new Error('no event was recorded');
  return eventId;
}
