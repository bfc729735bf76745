/** So often the whole outbox is looked at, rather than only what is new. */
const FULL_LOOK_EVERY_MS = 1_000;

/** Says where the looks of one relay at the outbox begin. */
export interface LookBounds {
  /** The number after which the look at hand begins; 0 for a full look. */
  begin(nowMs: number): { readonly after: bigint; readonly full: boolean };
  /** Notes up to where a look claimed everything, and whether there may be more behind it. */
  end(through: bigint, more: boolean): void;
  /** Makes the next look a full one. */
  reset(): void;
}

/**
 * Looks past what was claimed before, so as not to read the index entries of rows that are gone, and not past what was
 * claimed in the last one to two seconds, since numbers are not committed in their order. Once a second a full look
 * finds what was committed later still, and what another relay claimed and did not publish.
 */
export function lookBounds(): LookBounds {
  let lookedAt = Number.NEGATIVE_INFINITY;
  let next = 0n;
  let bound = 0n;
  let nextBound = 0n;
  let claimed = 0n;
  return {
    begin(nowMs) {
      const full = nowMs - lookedAt >= FULL_LOOK_EVERY_MS;
      if (full) {
        lookedAt = nowMs;
        next = 0n;
        [bound, nextBound] = [nextBound, claimed];
      }
      return { after: next, full };
    },
    end(through, more) {
      if (through > claimed) claimed = through;
      next = more ? through : bound;
    },
    reset() {
      lookedAt = Number.NEGATIVE_INFINITY;
    },
  };
}
