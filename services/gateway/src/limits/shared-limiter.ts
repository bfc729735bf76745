import { within } from '@supplier/lib/runtime/deadlines';
import { groupCommit } from '@supplier/lib/runtime/group-commit';
import type { Logger } from '@supplier/lib/runtime/log';
import { LRUCache } from 'lru-cache';
import type { GatewayMetrics } from '../metrics.ts';
import {
  deleteExpired,
  type LimitsPool,
  prepareTable,
  returnPlaces,
  type TakeRequest,
  type TakeResult,
  take,
} from './db/limit-window.ts';
import { inProcessLimiter } from './in-process-limiter.ts';
import { type CheckLimit, type Limit, PASSES, type Verdict } from './limit.ts';
import { ReservedPlaces } from './reserved-places.ts';
import { retryAfterMs, sliceMsOf } from './sliding-window.ts';

const MAX_GROUP = 512;
const MAX_QUEUE = 4_096;
/** Beat of creates: requests whose addresses are checked together are then sent together. */
const BEAT_MS = 20;
/** Time that a request can lose to a hanging store, once: afterwards the process no longer queries it. */
const DEADLINE_MS = 400;
const MAINTENANCE_DEADLINE_MS = 5_000;
const SWEEP_MS = 30_000;
const MAX_REFUSED_KEYS = 20_000;

interface Refused {
  readonly max: number;
  readonly untilMs: number;
}

export interface SharedLimiterOptions {
  readonly pool: LimitsPool;
  readonly log: Logger;
  /** Describes a store failure for the log. */
  readonly explain?: (error: unknown) => string;
  /** Monotonic clock in milliseconds. */
  readonly monotonicMs?: () => number;
  /** Time that a check can lose to a hanging store. */
  readonly deadlineMs?: number;
  /** Time that maintenance can lose to a hanging store. */
  readonly maintenanceDeadlineMs?: number;
  readonly metrics?: Pick<GatewayMetrics, 'limiterFallbacks' | 'limitsShared'>;
  /** Replaces the store's clock. */
  readonly storeMs?: () => number;
}

/**
 * Limits requests across all processes that share a store. Checks that arrive during a statement share the next one,
 * with one row per key; checks for creates in the same step and beat share one. A busy key far from its limit has
 * places reserved; a refused key is not queried again until a place can be free. While the store is unavailable or
 * slow, the process limits on its own and does not query it; `maintain`, called about every second, returns to the
 * store. Implements docs/contract.md, section 9.
 */
export class SharedLimiter {
  readonly #options: SharedLimiterOptions;
  readonly #monotonicMs: () => number;
  readonly #local: (limit: Limit) => Verdict;
  readonly #refused = new LRUCache<string, Refused>({ max: MAX_REFUSED_KEYS });
  readonly #ahead = new ReservedPlaces();
  /** Checks by the step of their requests. */
  readonly #query: Readonly<Record<NonNullable<Limit['step']> | 'any', (limit: Limit) => Promise<Verdict>>>;
  #isShared = false;
  #hasWarned = false;
  #sweptMs = 0;

  constructor(options: SharedLimiterOptions) {
    this.#options = options;
    this.#monotonicMs = options.monotonicMs ?? (() => performance.now());
    const local = inProcessLimiter(this.#monotonicMs);
    this.#local = (limit) => {
      options.metrics?.limiterFallbacks.inc();
      return local(limit);
    };
    const inGroups = (beatMs: number) =>
      groupCommit<Limit, Verdict>({
        maxGroup: MAX_GROUP,
        maxQueue: MAX_QUEUE,
        lanes: 1,
        beatMs,
        flush: (limits) => this.#flush(limits),
        overloaded: () => new Error('too many limit checks queued'),
      });
    this.#query = { any: inGroups(0), address: inGroups(BEAT_MS), credential: inGroups(BEAT_MS) };
  }

  /** Whether the store counts, rather than only this process. */
  get isShared(): boolean {
    return this.#isShared;
  }

  readonly check: CheckLimit = (limit) => {
    const waitMs = this.#refusedForMs(limit);
    if (waitMs > 0) return { passes: false, retryMs: waitMs };
    if (!this.#isShared) return this.#local(limit);
    if (this.#ahead.take(limit, this.#monotonicMs())) return PASSES;
    return this.#query[limit.step ?? 'any'](limit).catch((err: unknown) => {
      this.#fallBack(err);
      return this.#local(limit);
    });
  };

  /**
   * Returns to the store when it is available, returns unused places, and deletes expired rows every 30 s. Never
   * rejects.
   */
  async maintain(): Promise<void> {
    if (!this.#isShared) await this.#useStore();
    else {
      await this.#returnUnused();
      if (this.#monotonicMs() - this.#sweptMs >= SWEEP_MS) await this.#sweep();
    }
  }

  /**
   * Places that cannot be returned count until they leave the window: fewer requests pass, never more. Stops at the
   * first failure, so that a hanging store delays maintenance once.
   */
  async #returnUnused(): Promise<void> {
    const { pool, log, maintenanceDeadlineMs = MAINTENANCE_DEADLINE_MS } = this.#options;
    try {
      for (const unused of this.#ahead.collectUnused(this.#monotonicMs())) {
        await withinMs(maintenanceDeadlineMs, returnPlaces(pool, unused));
      }
    } catch (err) {
      log.warn({ err }, 'unused reservations not returned');
    }
  }

  async #useStore(): Promise<void> {
    const { pool, log, metrics, maintenanceDeadlineMs = MAINTENANCE_DEADLINE_MS } = this.#options;
    try {
      await withinMs(maintenanceDeadlineMs, prepareTable(pool));
      this.#isShared = true;
      metrics?.limitsShared.set(1);
      this.#hasWarned = false;
      log.info('limits store connected');
    } catch (err) {
      this.#fallBack(err);
    }
  }

  async #sweep(): Promise<void> {
    this.#sweptMs = this.#monotonicMs();
    // Only checks decide whether the store is unavailable: they do not depend on the remaining rows.
    await deleteExpired(this.#options.pool).catch((err: unknown) => {
      this.#options.log.warn({ err }, 'expired limits not deleted');
    });
  }

  #fallBack(err: unknown): void {
    this.#isShared = false;
    this.#options.metrics?.limitsShared.set(0);
    this.#ahead.clear();
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    const { log, explain } = this.#options;
    log.warn({ err, reason: explain?.(err) }, 'limits store unavailable; limiting per process');
  }

  #refusedForMs({ key, max }: Limit): number {
    const refused = this.#refused.get(key);
    return refused && max <= refused.max ? Math.ceil(refused.untilMs - this.#monotonicMs()) : 0;
  }

  async #flush(limits: readonly Limit[]): Promise<Verdict[]> {
    // Checks that were queued behind one that found the store unavailable do not wait again.
    if (!this.#isShared) return limits.map(this.#local);
    // Taken before the statement, so that times based on it end slightly early and never late.
    const beganMs = this.#monotonicMs();
    const requests = this.#requestsFor(limits, beganMs);
    const { pool, storeMs, deadlineMs = DEADLINE_MS } = this.#options;
    const granted = await withinMs(deadlineMs, take(pool, [...requests.values()], storeMs?.() ?? null));
    const answers = new Map<string, { left: number; refusal: Verdict }>();
    for (const [at, { key, max, sliceMs, waiting }] of [...requests.values()].entries()) {
      const answer = granted[at];
      if (answer) {
        const places = Math.max(0, answer.granted - waiting);
        const untilMs = beganMs + sliceMs - (answer.nowMs % sliceMs);
        this.#ahead.keep(key, max, { places, untilMs, slice: answer.slice, used: answer.used });
      }
      answers.set(key, {
        left: Math.min(answer?.granted ?? 0, waiting),
        refusal: { passes: false, retryMs: this.#remember(key, max, sliceMs, answer) },
      });
    }
    return limits.map(({ key }) => {
      const answer = answers.get(key);
      if (!answer || answer.left <= 0) return answer?.refusal ?? PASSES;
      answer.left -= 1;
      return PASSES;
    });
  }

  #remember(key: string, max: number, sliceMs: number, answer: TakeResult | undefined): number {
    if (!answer?.full) return 1;
    const retryMs = retryAfterMs(answer.full, max, sliceMs, answer.full.nowMs);
    this.#refused.set(key, { max, untilMs: this.#monotonicMs() + retryMs });
    return retryMs;
  }

  /**
   * Merges checks into one request per key, including the places to reserve; if an allowance has just changed, the
   * smaller value applies.
   */
  #requestsFor(limits: readonly Limit[], nowMs: number): Map<string, TakeRequest & { waiting: number }> {
    const requests = new Map<string, TakeRequest & { waiting: number }>();
    for (const { key, max: own, windowMs } of limits) {
      const before = requests.get(key);
      const max = Math.min(own, before?.max ?? own);
      const waiting = (before?.waiting ?? 0) + 1;
      requests.set(key, {
        key,
        waiting,
        wanted: waiting + this.#ahead.wanted(key, max, nowMs),
        max,
        sliceMs: sliceMsOf(windowMs),
      });
    }
    return requests;
  }
}

function withinMs<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  return within(ms, work, () => {
    throw new Error('limits store timed out');
  });
}
