/** A repeatable sequence of choices. */
export interface Choices {
  whole(min: number, max: number): number;
  /** Returns true in `share` of all cases. */
  in(share: number): boolean;
  /** Returns one of the items. There must be at least one. */
  of<T extends readonly unknown[]>(items: T): T[number];
}

/** Returns the sequence that belongs to a seed (mulberry32). */
export function choices(seed: number): Choices {
  let state = Math.imul(seed, 0x9e3779b1);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  return {
    whole,
    in: (share) => next() < share,
    of: (items) => items[whole(0, items.length - 1)],
  };
}
