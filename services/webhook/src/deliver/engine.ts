import { setTimeout as delay } from 'node:timers/promises';
import { isUnavailable } from '@supplier/lib/data/postgres';
import { cancelDeadline, startDeadline, within } from '@supplier/lib/runtime/deadlines';
import { groupCommit } from '@supplier/lib/runtime/group-commit';
import type { Logger } from '@supplier/lib/runtime/log';
import { runInContext } from '@supplier/lib/runtime/request-context';
import { wakeable } from '@supplier/lib/runtime/wakeable';
import type { EndpointId, EventId } from '@supplier/lib/text/ids';
import {
  type ClaimedAttempt,
  endOf,
  interrupted,
  NO_PLACES,
  type Outcome,
  type Places,
  type Random,
} from '../model/attempt.ts';
import type { Recovery } from '../store/endpoint-health.sql.ts';
import { type Measures, UNMEASURED } from './metrics.ts';
import type { ClaimRequest, LostAttempt } from './queue.sql.ts';
import { type DeliveryBounds, endpointConcurrency, type RunningAttempt, readyEndpoints } from './turns.ts';

/** The durable queue, as used by the engine. */
export interface DeliveryQueue {
  claim(requests: readonly ClaimRequest[], leaseMs: number): Promise<ClaimedAttempt[]>;
  settle(outcomes: readonly Outcome[]): Promise<boolean[]>;
  dueEndpoints(): Promise<EndpointId[]>;
  lostAttempts(limit: number): Promise<LostAttempt[]>;
}

export interface DeliveryParts {
  readonly queue: DeliveryQueue;
  /** Makes one claimed attempt; ends it early as interrupted when the signal is aborted. */
  readonly attempt: (claimed: ClaimedAttempt, signal: AbortSignal) => Promise<Outcome>;
  readonly bounds: DeliveryBounds;
  readonly random: Random;
  readonly log: Logger;
  readonly measures?: Measures;
  /** Called at every poll. */
  readonly tidy: () => void;
}

export interface Delivery {
  /** Immediately claims the due events of the endpoint. */
  wake(endpointId: EndpointId): void;
  /** Reserves up to `wanted` attempts to an endpoint with nothing else waiting, to be claimed by the caller. */
  reserve(endpointId: EndpointId, wanted: number): Places;
  /** Stops claiming, waits up to `stopMs` for attempts in progress, and ends the rest as interrupted. */
  stop(): Promise<void>;
}

const LOST_PER_POLL = 256;

/**
 * Delivers due events until it is stopped. A wake-up triggers a claim immediately; a poll finds retries, missed
 * wake-ups and lost attempts. No transaction is open while a webhook is sent. Only the database's clock, never this
 * process's, decides what is due or lost. Implements docs/contract.md, section 7.
 */
export function startEngine(parts: DeliveryParts): Delivery {
  const { queue, bounds, random, log, measures = UNMEASURED } = parts;
  const stopping = new AbortController();
  const interrupting = new AbortController();
  const givingUp = new AbortController();
  const ready = readyEndpoints();
  const concurrency = endpointConcurrency(bounds);
  const underWay = new Map<string, Promise<void>>();
  /** Reserved places, until their attempts have begun or are abandoned. */
  const reserved = new Set<Promise<void>>();
  const sleeper = wakeable(stopping.signal);
  const record = outcomeRecorder({
    settle: queue.settle,
    maxQueue: bounds.total + LOST_PER_POLL,
    log,
    giveUp: givingUp.signal,
  });
  let claiming: Promise<void> | undefined;
  let claimAgain = false;
  const polling = poll();

  function pump(): void {
    claimAgain = true;
    claiming ??= claimAll().finally(() => {
      claiming = undefined;
      // Another claim may have been requested after the loop ended.
      if (claimAgain && !stopping.signal.aborted) pump();
    });
  }

  async function claimAll(): Promise<void> {
    while (claimAgain && !stopping.signal.aborted) {
      claimAgain = false;
      try {
        if (await claimOnce()) claimAgain = true;
      } catch (err) {
        log.warn({ err }, 'claiming due attempts failed');
      }
    }
  }

  /** Resolves to whether there may be more to claim. */
  async function claimOnce(): Promise<boolean> {
    const plan = ready.plan(concurrency.capacity(), bounds.endpointsPerClaim);
    if (plan.requests.length === 0) return false;
    const claimed = await queue.claim(plan.requests, bounds.leaseMs);
    const counts = new Map<EndpointId, number>();
    for (const attempt of claimed) {
      counts.set(attempt.endpointId, (counts.get(attempt.endpointId) ?? 0) + 1);
      start(attempt);
    }
    plan.served(counts);
    return true;
  }

  function reserve(endpointId: EndpointId, wanted: number): Places {
    const hasCapacity = !stopping.signal.aborted && !ready.has(endpointId);
    const count = hasCapacity ? Math.min(wanted, concurrency.capacity().take(endpointId)) : 0;
    const places = Array.from({ length: count }, () => concurrency.begin(endpointId));
    if (count === 0) return NO_PLACES;
    const ended = Promise.withResolvers<void>();
    reserved.add(ended.promise);
    // The caller may never return, for instance when its transaction fails.
    const forgotten = { expire: () => giveBack() };
    const tick = startDeadline(forgotten, bounds.leaseMs);
    function giveBack(): void {
      cancelDeadline(forgotten, tick);
      for (const place of places.splice(0)) place.cancelled();
      reserved.delete(ended.promise);
      ended.resolve();
      pump();
    }
    return {
      count,
      leaseMs: bounds.leaseMs,
      begin(claimed) {
        // If it is too late in a stop, they are found after their leases expire.
        if (!interrupting.signal.aborted) for (const attempt of claimed) start(attempt, places.pop());
        giveBack();
      },
    };
  }

  function start(claimed: ClaimedAttempt, running = concurrency.begin(claimed.endpointId)): void {
    const key = keyOf(claimed.eventId, claimed.number);
    measures.began(claimed);
    underWay.set(
      key,
      runInContext(contextOf(claimed), () => run(claimed, running)).finally(() => {
        underWay.delete(key);
        running.finished();
        measures.finished();
        pump();
      }),
    );
  }

  async function run(claimed: ClaimedAttempt, running: RunningAttempt): Promise<void> {
    const beganAt = performance.now();
    const outcome = await attempt(claimed, beganAt);
    measures.answered(outcome, (performance.now() - beganAt) / 1_000);
    running.answered(outcome.error === undefined);
    pump();
    report(outcome, await record(outcome), claimed);
  }

  function report(outcome: Outcome, recorded: boolean, claimed?: ClaimedAttempt): void {
    if (recorded) measures.recorded(outcome, claimed);
    logOutcome(log, outcome, recorded);
  }

  async function attempt(claimed: ClaimedAttempt, beganAt: number): Promise<Outcome> {
    try {
      return await parts.attempt(claimed, interrupting.signal);
    } catch (err) {
      log.error({ err, event_id: claimed.eventId, attempt: claimed.number }, 'attempt could not be made');
      return interrupted(claimed, endOf(claimed, performance.now() - beganAt), random);
    }
  }

  async function poll(): Promise<void> {
    while (!stopping.signal.aborted) {
      await closeLostAttempts().catch((err: unknown) => {
        log.warn({ err }, 'closing lost attempts failed');
      });
      await findDue().catch((err: unknown) => {
        log.warn({ err }, 'finding due endpoints failed');
      });
      parts.tidy();
      await sleeper.sleep(bounds.pollMs);
    }
  }

  async function findDue(): Promise<void> {
    for (const endpointId of await queue.dueEndpoints()) ready.add(endpointId);
    pump();
  }

  async function closeLostAttempts(): Promise<void> {
    const lost = await queue.lostAttempts(LOST_PER_POLL);
    // Attempts that this process is still making are late, not lost.
    const abandoned = lost.filter(({ eventId, number }) => !underWay.has(keyOf(eventId, number)));
    if (abandoned.length === 0) return;
    // The worker's time of death is unknown; counting from the attempt's start keeps the next one closest to schedule.
    const outcomes = abandoned.map((attempt) =>
      interrupted(attempt, attempt.leaseUntil, random, attempt.startedAt),
    );
    const recorded = await queue.settle(outcomes);
    for (const [index, outcome] of outcomes.entries()) report(outcome, recorded[index] ?? false);
  }

  return {
    wake(endpointId) {
      ready.add(endpointId);
      pump();
    },
    reserve,
    async stop() {
      stopping.abort();
      await polling;
      await claiming;
      const ended = Promise.all(reserved).then(() => Promise.all(underWay.values()));
      await within(bounds.stopMs, ended, () => undefined);
      interrupting.abort();
      await within(bounds.stopRecordingMs, Promise.all(underWay.values()), () => undefined);
      givingUp.abort();
      await Promise.all(underWay.values());
    },
  };
}

/** Returns the trace of the attempt's own change, even if another attempt's end triggered its claim. */
function contextOf({ traceParent }: ClaimedAttempt) {
  return traceParent === '' ? undefined : { requestId: '', traceParent };
}

function keyOf(eventId: EventId, number: number): string {
  return `${eventId} ${number}`;
}

const GROUP = 128;
/** One lane makes the largest groups: with two, PostgreSQL needs a seventh more for each outcome. */
const LANES = 1;
/** No caller waits for it: the webhook has arrived. */
const BEAT_MS = 20;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/**
 * Records the outcome, retrying while the database is unavailable; resolves to false when the attempt was already
 * closed or the outcome was abandoned.
 */
export type RecordOutcome = (outcome: Outcome) => Promise<boolean>;

export interface RecorderOptions {
  readonly settle: (outcomes: readonly Outcome[]) => Promise<boolean[]>;
  readonly maxQueue: number;
  readonly log: Logger;
  /** Ends all retries: an attempt with an unrecorded outcome is found when its lease expires. */
  readonly giveUp: AbortSignal;
}

/**
 * Returns a recorder that commits concurrent outcomes together. While the database is unavailable it retries them; it
 * abandons only an outcome that the database rejects, and that attempt is found when its lease expires.
 */
export function outcomeRecorder({ settle, maxQueue, log, giveUp }: RecorderOptions): RecordOutcome {
  const settleGrouped = groupCommit<Outcome, boolean>({
    maxGroup: GROUP,
    maxQueue,
    lanes: LANES,
    beatMs: BEAT_MS,
    flush: (outcomes) => settle(outcomes),
    overloaded: () => new Error('outcome queue is full'),
  });

  return async (outcome) => {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, pause * 2)) {
      try {
        return await settleGrouped(outcome).catch((cause: unknown) => {
          if (isUnavailable(cause)) throw cause;
          // One bad outcome fails its whole group, so each is retried separately.
          return settle([outcome]).then(([recorded]) => recorded ?? false);
        });
      } catch (err) {
        const fields = { err, event_id: outcome.eventId, attempt: outcome.number };
        if (giveUp.aborted || !isUnavailable(err)) {
          log.error(fields, 'recording an outcome failed');
          return false;
        }
        log.warn({ ...fields, delay_ms: pause }, 'recording an outcome failed; retrying');
        await delay(pause, undefined, { signal: giveUp }).catch(() => {});
      }
    }
  };
}

/**
 * Logs one line for every attempt: the end of a failed delivery at warning level, a failure at info, a success at
 * debug.
 */
export function logOutcome(log: Logger, outcome: Outcome, recorded: boolean): void {
  const fields = {
    endpoint_id: outcome.endpointId,
    event_id: outcome.eventId,
    attempt: outcome.number,
    status: outcome.statusCode,
    error_class: outcome.error,
    duration_ms: outcome.statusMs,
    state: outcome.verdict.state,
  };
  if (!recorded) log.warn(fields, 'attempt already closed');
  else if (outcome.error === undefined) log.debug(fields, 'event delivered');
  else if (outcome.verdict.state === 'exhausted') log.warn(fields, 'delivery exhausted');
  else log.info(fields, 'attempt failed');
}

/** Logs one line for an endpoint that works again after operators were notified that it was failing. */
export function logRecovery(log: Logger, { endpointId, failingSince, recoveredAt }: Recovery): void {
  const duration = recoveredAt.getTime() - failingSince.getTime();
  log.info({ endpoint_id: endpointId, duration_ms: duration }, 'endpoint recovered');
}
