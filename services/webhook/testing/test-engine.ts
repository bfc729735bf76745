import { EventEmitter, once } from 'node:events';
import { type AccountId, type EndpointId, type EventId, newId, type SubmissionId } from '@supplier/lib/ids';
import type { ClaimedAttempt } from '../src/db/claim-attempts.ts';
import type { DeliveryBounds } from '../src/delivery/bounds.ts';
import { databaseQueue } from '../src/delivery/database-queue.ts';
import { type Delivery, type DeliveryQueue, startDelivery } from '../src/delivery/engine.ts';
import type { AttemptError } from '../src/domain/attempt-error.ts';
import { interrupted, type Outcome } from '../src/domain/outcome.ts';
import { bodyPlace } from '../src/domain/sealed-places.ts';
import { verdictOn } from '../src/domain/verdict.ts';
import { testLog } from './test-log.ts';
import type { TestService } from './test-service.ts';

const BOUNDS: DeliveryBounds = {
  total: 32,
  perEndpoint: 8,
  failing: 24,
  asksPerClaim: 16,
  leaseMs: 20_000,
  pollMs: 10,
  stopMs: 300,
  stopRecordingMs: 500,
};

/** Ends an attempt in a test: with an error class, or undefined for success. */
export type Script = (
  claimed: ClaimedAttempt,
  signal: AbortSignal,
) => Promise<AttemptError | undefined> | AttemptError | undefined;

export interface TestEngine {
  readonly delivery: Delivery;
  /** Attempts begun, in order. */
  readonly attempts: ClaimedAttempt[];
  readonly lines: Record<string, unknown>[];
  /** Resolves when the engine has looked for due work `times` more times. */
  polls(times: number): Promise<void>;
  /** Resolves when the recorded events satisfy `condition`. */
  until(condition: () => Promise<boolean> | boolean): Promise<void>;
}

/** The delivery engine over the real queue, with attempts played by `script`. No jitter. */
export function startTestEngine(
  service: TestService,
  script: Script,
  overrides: { bounds?: Partial<DeliveryBounds>; queue?: Partial<DeliveryQueue> } = {},
): TestEngine {
  const random = () => 0.5;
  const { clock } = service;
  const polled = new EventEmitter();
  const attempts: ClaimedAttempt[] = [];
  const { log, lines } = testLog();

  async function attempt(claimed: ClaimedAttempt, signal: AbortSignal): Promise<Outcome> {
    attempts.push(claimed);
    const { eventId, number } = claimed;
    const error = await script(claimed, signal);
    const endedAt = clock.now();
    return {
      ...interrupted(eventId, number, endedAt, random),
      error,
      statusCode: error === undefined ? 200 : undefined,
      verdict: verdictOn({ number, endedAt, error }, random),
    };
  }

  const delivery = startDelivery({
    queue: { ...databaseQueue(service.pool), ...overrides.queue },
    attempt,
    bounds: { ...BOUNDS, ...overrides.bounds },
    clock,
    random,
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

/** Records `count` events of different submissions that are due at once, in one statement, without waking anybody. */
export async function recordDue(
  service: TestService,
  { accountId, endpointId }: { accountId: AccountId; endpointId: EndpointId },
  count: number,
): Promise<EventId[]> {
  const now = service.clock.now();
  const eventIds = Array.from({ length: count }, () => newId<EventId>());
  await service.db.event.createMany({
    data: eventIds.map((id) => ({
      id,
      submissionId: newId<SubmissionId>(),
      accountId,
      environment: 'sandbox' as const,
      endpointId,
      change: 'decided' as const,
      occurredAt: now,
      recordedAt: now,
      sealedBody: service.context.ring.seal(Buffer.from('{}'), bodyPlace(id)),
      state: 'pending' as const,
      attemptCount: 0,
      nextAttemptAt: now,
    })),
  });
  return eventIds;
}

/** An event with its attempts, as it is recorded. */
export function recorded(service: TestService, eventId: EventId) {
  return service.db.event.findUniqueOrThrow({
    where: { id: eventId },
    include: { attempts: { orderBy: { number: 'asc' } } },
  });
}
