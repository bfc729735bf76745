const FULL_SCAN_EVERY_MS = 1_000;

/**
 * Starts scans after claimed rows, to skip deleted index entries, but scans those of the last one to two seconds again,
 * since sequences commit out of order. A full scan once a second finds the rest.
 */
export function scanBounds() {
  let scannedAt = Number.NEGATIVE_INFINITY;
  let next = 0n;
  let bound = 0n;
  let nextBound = 0n;
  let claimed = 0n;
  return {
    /** Returns the sequence after which the current scan starts; 0 for a full scan. */
    begin(nowMs: number): bigint {
      if (nowMs - scannedAt >= FULL_SCAN_EVERY_MS) {
        scannedAt = nowMs;
        next = 0n;
        [bound, nextBound] = [nextBound, claimed];
      }
      return next;
    },
    /** Records the sequence up to which a scan claimed everything, and whether more may follow. */
    end(through: bigint, more: boolean): void {
      if (through > claimed) claimed = through;
      next = more ? through : bound;
    },
    reset(): void {
      scannedAt = Number.NEGATIVE_INFINITY;
    },
  };
}
