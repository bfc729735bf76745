import { cancelDeadline, startDeadline, within } from '@supplier/lib/runtime/deadlines';
import type { Logger } from '@supplier/lib/runtime/log';
import { runInContext } from '@supplier/lib/runtime/request-context';
import { wakeable } from '@supplier/lib/runtime/wakeable';
import type { EndpointId, EventId } from '@supplier/lib/text/ids';
import { endOf, interrupted, type Outcome, type Random } from '../model/attempt.ts';
import type { DeliveryBounds } from './bounds.ts';
import { endpointConcurrency, type RunningAttempt } from './concurrency.ts';
import { logOutcome } from './log-lines.ts';
import { type Measures, UNMEASURED } from './metrics.ts';
import { outcomeRecorder } from './outcome-recorder.ts';
import {
  type ClaimedAttempt,
  type ClaimRequest,
  type LostAttempt,
  NO_PLACES,
  type Places,
} from './queue.sql.ts';
import { readyEndpoints } from './ready-endpoints.ts';

/** The durable queue, as the engine uses it. */
export interface DeliveryQueue {
  claim(requests: readonly ClaimRequest[], leaseMs: number): Promise<ClaimedAttempt[]>;
  settle(outcomes: readonly Outcome[]): Promise<boolean[]>;
  dueEndpoints(): Promise<EndpointId[]>;
  lostAttempts(limit: number): Promise<LostAttempt[]>;
}

export interface DeliveryParts {
  readonly queue: DeliveryQueue;
  /** Makes one claimed attempt; ends it early, as interrupted, when the signal is aborted. */
  readonly attempt: (claimed: ClaimedAttempt, signal: AbortSignal) => Promise<Outcome>;
  readonly bounds: DeliveryBounds;
  readonly random: Random;
  readonly log: Logger;
  readonly measures?: Measures;
  /** Called at every poll. */
  readonly tidy: () => void;
}

export interface Delivery {
  /** Claims at once what the endpoint has due. */
  wake(endpointId: EndpointId): void;
  /** Sets aside up to `wanted` attempts to an endpoint for which nothing else is waiting, to be claimed by the caller. */
  reserve(endpointId: EndpointId, wanted: number): Places;
  /** Stops claiming, lets attempts under way end within `stopMs`, and ends the rest as interrupted. */
  stop(): Promise<void>;
}

const LOST_PER_POLL = 256;

/**
 * Delivers what is due until it is stopped. A wake-up leads to a claim at once; a poll finds retries, missed wake-ups
 * and lost attempts. No transaction is open while anything is sent. The database's clock decides what is due or lost,
 * never that of this process. Implements docs/contract.md, section 7.
 */
export function startEngine(parts: DeliveryParts): Delivery {
  const { queue, bounds, random, log, measures = UNMEASURED } = parts;
  const stopping = new AbortController();
  const interrupting = new AbortController();
  const givingUp = new AbortController();
  const ready = readyEndpoints();
  const concurrency = endpointConcurrency(bounds);
  const underWay = new Map<string, Promise<void>>();
  /** Places that are set aside, until their attempts have begun or are given up. */
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
      // Another claim may have been requested after the loop ended and before this.
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
    const isFree = !stopping.signal.aborted && !ready.has(endpointId);
    const count = isFree ? Math.min(wanted, concurrency.capacity().take(endpointId)) : 0;
    const places = Array.from({ length: count }, () => concurrency.begin(endpointId));
    if (count === 0) return NO_PLACES;
    const ended = Promise.withResolvers<void>();
    reserved.add(ended.promise);
    // Whoever asked may never come back, as when its transaction fails.
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
        // Too late in a stop, they are found once their leases are over.
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
    const begun = performance.now();
    const outcome = await attempt(claimed, begun);
    measures.answered(outcome, (performance.now() - begun) / 1_000);
    running.answered(outcome.error === undefined);
    pump();
    report(outcome, await record(outcome), claimed);
  }

  function report(outcome: Outcome, recorded: boolean, claimed?: ClaimedAttempt): void {
    if (recorded) measures.recorded(outcome, claimed);
    logOutcome(log, outcome, recorded);
  }

  async function attempt(claimed: ClaimedAttempt, begun: number): Promise<Outcome> {
    try {
      return await parts.attempt(claimed, interrupting.signal);
    } catch (err) {
      log.error({ err, event_id: claimed.eventId, attempt: claimed.number }, 'attempt could not be made');
      return interrupted(claimed, endOf(claimed, performance.now() - begun), random);
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
    // It is unknown when the worker died: counted from its start, the next attempt is closest to its schedule.
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
      const begun = Promise.all(reserved).then(() => Promise.all(underWay.values()));
      await within(bounds.stopMs, begun, () => undefined);
      interrupting.abort();
      await within(bounds.stopRecordingMs, Promise.all(underWay.values()), () => undefined);
      givingUp.abort();
      await Promise.all(underWay.values());
    },
  };
}

/** An attempt continues the trace of its own change, whichever attempt's end caused its claim. */
function contextOf({ traceParent }: ClaimedAttempt) {
  return traceParent === '' ? undefined : { requestId: '', traceParent };
}

function keyOf(eventId: EventId, number: number): string {
  return `${eventId} ${number}`;
}
