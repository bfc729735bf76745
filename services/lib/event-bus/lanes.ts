/** Work that runs side by side, except that work with the same key runs in order. */
export interface Lanes {
  /** Queues `work`, which must not throw. The caller bounds how much is queued. */
  run(key: string, work: () => Promise<void>): void;
  /** Resolves when all that was queued has ended. */
  idle(): Promise<void>;
}

export function lanes(count: number): Lanes {
  const tails = Array.from({ length: count }, () => Promise.resolve());
  return {
    run(key, work) {
      const lane = hash(key) % count;
      tails[lane] = (tails[lane] ?? Promise.resolve()).then(work);
    },
    async idle() {
      await Promise.all(tails);
    },
  };
}

/** FNV-1a: spreads keys over lanes. */
function hash(key: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < key.length; i += 1) value = Math.imul(value ^ key.charCodeAt(i), 0x01000193) >>> 0;
  return value;
}
