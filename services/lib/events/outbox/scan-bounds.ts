/** The interval between scans of the whole outbox rather than only the new part. */
const FULL_SCAN_EVERY_MS = 1_000;

/** Determines where a relay's scans of the outbox start. */
export interface ScanBounds {
  /** Returns the sequence after which the current scan starts; 0 for a full scan. */
  begin(nowMs: number): bigint;
  /** Records the sequence up to which a scan claimed everything, and whether more may follow. */
  end(through: bigint, more: boolean): void;
  /** Makes the next scan a full scan. */
  reset(): void;
}

/**
 * Starts scans after claimed rows, to skip deleted index entries, but scans those of the last one to two seconds again,
 * since sequences commit out of order. A full scan once a second finds the rest.
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
