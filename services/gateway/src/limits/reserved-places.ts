import { LRUCache } from 'lru-cache';
import type { UnusedPlaces } from './db/limit-window.ts';
import type { Limit } from './limit.ts';

/** Keys with a smaller allowance are counted one by one. */
const MIN_ALLOWANCE = 1_000;
/** A key is busy from this many requests in a second on; below, places ahead would save nothing. */
const BUSY_PER_SECOND = 20;
/** Places ahead are for what comes in this share of a second, as far as the second before tells. */
const SHARE_OF_A_SECOND = 1 / 20;
/** What one statement takes ahead at most, as a share of the allowance. */
const SHARE_OF_ALLOWANCE = 1 / 64;
/** Places are taken ahead while no more than this share of the allowance is used. */
const FAR_FROM_FULL = 1 / 2;
const SECOND_MS = 1_000;
const MAX_KEYS = 20_000;

interface Key {
  max: number;
  /** Places that the store has counted for this process and that no request has had yet. */
  places: number;
  /** The slice that they are counted in. */
  slice: number;
  untilMs: number;
  isFar: boolean;
  secondBeganMs: number;
  inThisSecond: number;
  inTheSecondBefore: number;
}

/**
 * Places that this process took ahead for busy keys, so that a request need not wait for the store. The store has
 * counted them, so that the limit stays exact over all processes; they end with the slice of the window that they were
 * counted in, so that the window stays exact too. Those that no request had by then are given back. Times are the
 * process's own steady ones.
 */
export class ReservedPlaces {
  readonly #keys = new LRUCache<string, Key>({ max: MAX_KEYS });
  /** Keys with places, which may end unused. */
  readonly #holding = new Set<string>();
  #unused: UnusedPlaces[] = [];

  /** Counts a request and gives it a place that was taken ahead; false when there is none. */
  take({ key, max }: Limit, nowMs: number): boolean {
    if (max < MIN_ALLOWANCE) return false;
    const held = this.#keys.get(key) ?? this.#begin(key, max, nowMs);
    if (nowMs - held.secondBeganMs >= SECOND_MS) {
      held.inTheSecondBefore = nowMs - held.secondBeganMs < 2 * SECOND_MS ? held.inThisSecond : 0;
      held.inThisSecond = 0;
      held.secondBeganMs = nowMs;
    }
    held.inThisSecond += 1;
    if (held.places <= 0 || nowMs >= held.untilMs || held.max !== max) return false;
    held.places -= 1;
    return true;
  }

  /** The places that have ended since the last call without a request that had them. */
  collectUnused(nowMs: number): UnusedPlaces[] {
    for (const key of this.#holding) {
      const held = this.#keys.peek(key);
      if (!held || held.places === 0) this.#holding.delete(key);
      else if (nowMs >= held.untilMs) this.#end(key, held);
    }
    const unused = this.#unused;
    this.#unused = [];
    return unused;
  }

  /** How many places to take for a key beyond those that are waited for. */
  wanted(key: string, max: number, nowMs: number): number {
    const held = this.#keys.peek(key);
    if (!held?.isFar || held.max !== max || held.inTheSecondBefore < BUSY_PER_SECOND) return 0;
    if (held.places > 0 && nowMs < held.untilMs) return 0;
    return Math.floor(Math.min(held.inTheSecondBefore * SHARE_OF_A_SECOND, max * SHARE_OF_ALLOWANCE));
  }

  /** Keeps the places that the store granted beyond those that were waited for, and how much is used. */
  keep(
    key: string,
    max: number,
    { places, slice, untilMs, used }: { places: number; slice: number; untilMs: number; used: number },
  ): void {
    const held = this.#keys.peek(key);
    if (!held) return;
    // A request that began to wait before the last places came takes none ahead, and must not lose them.
    if (places > 0 || held.max !== max) {
      this.#end(key, held);
      held.places = places;
      held.slice = slice;
      held.untilMs = untilMs;
      if (places > 0) this.#holding.add(key);
    }
    held.max = max;
    held.isFar = used <= max * FAR_FROM_FULL;
  }

  /** Forgets all places, for when the store no longer counts. */
  clear(): void {
    this.#keys.clear();
    this.#holding.clear();
    this.#unused = [];
  }

  #end(key: string, held: Key): void {
    if (held.places > 0) this.#unused.push({ key, slice: held.slice, places: held.places });
    held.places = 0;
    this.#holding.delete(key);
  }

  #begin(key: string, max: number, nowMs: number): Key {
    const begun = {
      max,
      places: 0,
      slice: 0,
      untilMs: 0,
      isFar: false,
      secondBeganMs: nowMs,
      inThisSecond: 0,
      inTheSecondBefore: 0,
    };
    this.#keys.set(key, begun);
    return begun;
  }
}
