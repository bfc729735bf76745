/** How often the whole outbox is scanned, rather than only what is new. */
const FULL_SCAN_EVERY_MS = 1_000;

/** Where the scans of one relay over the outbox begin. */
export interface ScanBounds {
  /** The number after which the scan at hand begins; 0 for a full scan. */
  begin(nowMs: number): bigint;
  /** Notes up to where a scan claimed everything, and whether there may be more after it. */
  end(through: bigint, more: boolean): void;
  /** Makes the next scan a full one. */
  reset(): void;
}

/**
 * Scans only beyond what was claimed before, so as not to read the index entries of rows that are gone, and not beyond what was
 * claimed in the last one to two seconds, since numbers are not committed in their order. Once a second a full scan
 * finds what was committed later still, and what another relay claimed and did not publish.
 */
export function scanBounds(): ScanBounds {
  let scannedAt = Number.NEGATIVE_INFINITY;
  let next = 0n;
  let bound = 0n;
  let nextBound = 0n;
  let claimed = 0n;
  return {
    begin(nowMs) {
      if (nowMs - scannedAt >= FULL_SCAN_EVERY_MS) {
        scannedAt = nowMs;
        next = 0n;
        [bound, nextBound] = [nextBound, claimed];
      }
      return next;
    },
    end(through, more) {
      if (through > claimed) claimed = through;
      next = more ? through : bound;
    },
    reset() {
      scannedAt = Number.NEGATIVE_INFINITY;
    },
  };
}
