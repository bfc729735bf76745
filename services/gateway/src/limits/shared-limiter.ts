import { groupCommit } from '@supplier/lib/group-commit';
import type { Logger } from '@supplier/lib/log';
import { LRUCache } from 'lru-cache';
import type { GatewayMetrics } from '../metrics.ts';
import { deleteExpired } from './db/delete-expired.ts';
import { type LimitsPool, prepareTable } from './db/prepare-table.ts';
import { type Asked, type Granted, take } from './db/take.ts';
import { withinMs } from './deadline.ts';
import { inProcessLimiter } from './in-process-limiter.ts';
import { type CheckLimit, type Limit, PASSES, type Verdict } from './limit.ts';
import { PlacesAhead } from './places-ahead.ts';
import { retryAfterMs, sliceMsOf } from './sliding-window.ts';

const MAX_GROUP = 512;
const MAX_QUEUE = 4_096;
/** What a request may lose to a store that hangs, once: after that the process no longer asks. */
const DEADLINE_MS = 400;
const UPKEEP_DEADLINE_MS = 5_000;
const SWEEP_MS = 30_000;
const MAX_REFUSED_KEYS = 20_000;

interface Refused {
  readonly most: number;
  readonly untilMs: number;
}

export interface SharedLimiterOptions {
  readonly pool: LimitsPool;
  readonly log: Logger;
  /** Rises steadily, in milliseconds. */
  readonly monotonicMs?: () => number;
  /** What a check may lose to a store that hangs. */
  readonly deadlineMs?: number;
  readonly metrics?: Pick<GatewayMetrics, 'limiterFallbacks' | 'limitsShared'>;
  /** In place of the store's clock. */
  readonly storeMs?: () => number;
}

/**
 * Limits over all processes that share a store. Checks that come while a statement is under way share the next one, one
 * row per key; a busy key far from its limit has places taken ahead; a key that was refused is not asked about again
 * before a place can be free. While the store is away or
 * slow, the process limits by itself and asks nothing; `upkeep`, called about every second, finds out when it is back.
 * Implements docs/contract.md, section 9.
 */
export class SharedLimiter {
  readonly #options: SharedLimiterOptions;
  readonly #monotonicMs: () => number;
  readonly #alone: (limit: Limit) => Verdict;
  readonly #refused = new LRUCache<string, Refused>({ max: MAX_REFUSED_KEYS });
  readonly #ahead = new PlacesAhead();
  readonly #ask: (limit: Limit) => Promise<Verdict>;
  #isShared = false;
  #hasWarned = false;
  #sweptMs = 0;

  constructor(options: SharedLimiterOptions) {
    this.#options = options;
    this.#monotonicMs = options.monotonicMs ?? (() => performance.now());
    const alone = inProcessLimiter(this.#monotonicMs);
    this.#alone = (limit) => {
      options.metrics?.limiterFallbacks.inc();
      return alone(limit);
    };
    this.#ask = groupCommit<Limit, Verdict>({
      maxGroup: MAX_GROUP,
      maxQueue: MAX_QUEUE,
      lanes: 1,
      flush: (limits) => this.#flush(limits),
      overloaded: () => new Error('too many checks of limits wait'),
    });
  }

  /** Whether the store counts, and not this process alone. */
  get isShared(): boolean {
    return this.#isShared;
  }

  readonly check: CheckLimit = (limit) => {
    const waitMs = this.#refusedForMs(limit);
    if (waitMs > 0) return { passes: false, retryMs: waitMs };
    if (!this.#isShared) return this.#alone(limit);
    if (this.#ahead.take(limit, this.#monotonicMs())) return PASSES;
    return this.#ask(limit).catch((err: unknown) => {
      this.#goAlone(err);
      return this.#alone(limit);
    });
  };

  /** Brings the store back into use when it is there, and now and then clears it of what has expired. Never rejects. */
  async upkeep(): Promise<void> {
    if (!this.#isShared) await this.#returnToStore();
    else if (this.#monotonicMs() - this.#sweptMs >= SWEEP_MS) await this.#sweep();
  }

  async #returnToStore(): Promise<void> {
    const { pool, log, metrics } = this.#options;
    try {
      await withinMs(UPKEEP_DEADLINE_MS, prepareTable(pool));
      this.#isShared = true;
      metrics?.limitsShared.set(1);
      this.#hasWarned = false;
      log.info('limits are shared with the other gateways');
    } catch (err) {
      this.#goAlone(err);
    }
  }

  async #sweep(): Promise<void> {
    this.#sweptMs = this.#monotonicMs();
    // Whether the store is away is for the checks to say: they do not depend on the rows that stay.
    await deleteExpired(this.#options.pool).catch((err: unknown) => {
      this.#options.log.warn({ err }, 'expired limits could not be deleted');
    });
  }

  #goAlone(err: unknown): void {
    this.#isShared = false;
    this.#options.metrics?.limitsShared.set(0);
    this.#ahead.clear();
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#options.log.warn({ err }, 'the limits store is away: this process limits by itself');
  }

  #refusedForMs({ key, most }: Limit): number {
    const refused = this.#refused.get(key);
    return refused && most <= refused.most ? Math.ceil(refused.untilMs - this.#monotonicMs()) : 0;
  }

  async #flush(limits: readonly Limit[]): Promise<Verdict[]> {
    // Checks that waited behind one which found the store away do not wait again.
    if (!this.#isShared) return limits.map(this.#alone);
    // Before the statement: what is timed from here ends a little early and never late.
    const beganMs = this.#monotonicMs();
    const asked = this.#askedFor(limits, beganMs);
    const { pool, storeMs, deadlineMs = DEADLINE_MS } = this.#options;
    const granted = await withinMs(deadlineMs, take(pool, [...asked.values()], storeMs?.() ?? null));
    const answers = new Map<string, { left: number; refusal: Verdict }>();
    for (const [at, { key, most, sliceMs, waiting }] of [...asked.values()].entries()) {
      const answer = granted[at];
      if (answer) {
        const places = Math.max(0, answer.granted - waiting);
        const untilMs = beganMs + sliceMs - (answer.nowMs % sliceMs);
        this.#ahead.keep(key, most, { places, untilMs, used: answer.used });
      }
      answers.set(key, {
        left: Math.min(answer?.granted ?? 0, waiting),
        refusal: { passes: false, retryMs: this.#remember(key, most, sliceMs, answer) },
      });
    }
    return limits.map(({ key }) => {
      const answer = answers.get(key);
      if (!answer || answer.left <= 0) return answer?.refusal ?? PASSES;
      answer.left -= 1;
      return PASSES;
    });
  }

  #remember(key: string, most: number, sliceMs: number, answer: Granted | undefined): number {
    if (!answer?.full) return 1;
    const retryMs = retryAfterMs(answer.full, most, sliceMs, answer.full.nowMs);
    this.#refused.set(key, { most, untilMs: this.#monotonicMs() + retryMs });
    return retryMs;
  }

  /** One question per key, with what it takes ahead; under an allowance that has just changed, the smaller one counts. */
  #askedFor(limits: readonly Limit[], nowMs: number): Map<string, Asked & { waiting: number }> {
    const asked = new Map<string, Asked & { waiting: number }>();
    for (const { key, most: own, windowMs } of limits) {
      const before = asked.get(key);
      const most = Math.min(own, before?.most ?? own);
      const waiting = (before?.waiting ?? 0) + 1;
      asked.set(key, {
        key,
        waiting,
        wanted: waiting + this.#ahead.wanted(key, most, nowMs),
        most,
        sliceMs: sliceMsOf(windowMs),
      });
    }
    return asked;
  }
}
