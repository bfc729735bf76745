import { LRUCache } from 'lru-cache';
import type { UnusedPlaces } from './db/limit-window.ts';
import type { Limit } from './limit.ts';

/** Keys with a smaller allowance are counted one by one. */
const MIN_ALLOWANCE = 1_000;
/** A key is busy from this many requests per second; below it, reserving places would save nothing. */
const BUSY_PER_SECOND = 20;
/** Reserves enough places for this fraction of a second, based on the preceding second. */
const SHARE_OF_A_SECOND = 1 / 20;
/** Maximum reservation per statement, as a fraction of the allowance. */
const SHARE_OF_ALLOWANCE = 1 / 64;
/** Places are reserved only while at most this fraction of the allowance is used. */
const FAR_FROM_FULL = 1 / 2;
const SECOND_MS = 1_000;
const MAX_KEYS = 20_000;

interface Key {
  max: number;
  /** Places that the store has counted for this process but no request has used yet. */
  places: number;
  /** The slice in which they are counted. */
  slice: number;
  untilMs: number;
  isFar: boolean;
  secondBeganMs: number;
  inThisSecond: number;
  inTheSecondBefore: number;
}

/**
 * Places that this process has reserved for busy keys, so that a request need not wait for the store. The store has
 * already counted them, so the limit stays exact across processes. They expire with the slice in which they were
 * counted, so the window stays exact too. Unused places are returned. Times are from the process's monotonic clock.
 */
export class ReservedPlaces {
  readonly #keys = new LRUCache<string, Key>({ max: MAX_KEYS });
  /** Keys with places that can expire unused. */
  readonly #holding = new Set<string>();
  #unused: UnusedPlaces[] = [];

  /** Counts a request and uses a reserved place; returns false when there is none. */
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

  /** Returns the places that have expired unused since the last call. */
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

  /** Returns how many places to reserve for a key in addition to the requests that are waiting. */
  wanted(key: string, max: number, nowMs: number): number {
    const held = this.#keys.peek(key);
    if (!held?.isFar || held.max !== max || held.inTheSecondBefore < BUSY_PER_SECOND) return 0;
    if (held.places > 0 && nowMs < held.untilMs) return 0;
    return Math.floor(Math.min(held.inTheSecondBefore * SHARE_OF_A_SECOND, max * SHARE_OF_ALLOWANCE));
  }

  /** Stores the places granted beyond the waiting requests, and how much of the allowance is used. */
  keep(
    key: string,
    max: number,
    { places, slice, untilMs, used }: { places: number; slice: number; untilMs: number; used: number },
  ): void {
    const held = this.#keys.peek(key);
    if (!held) return;
    // A request that started waiting before the last reservation reserves nothing, and must not drop that reservation.
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

  /** Forgets all places; used when the store no longer counts. */
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
    const opened = {
      max,
      places: 0,
      slice: 0,
      untilMs: 0,
      isFar: false,
      secondBeganMs: nowMs,
      inThisSecond: 0,
      inTheSecondBefore: 0,
    };
    this.#keys.set(key, opened);
    return opened;
  }
}
