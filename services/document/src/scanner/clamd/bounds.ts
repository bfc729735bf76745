/** How long clamd is waited for, in milliseconds, and how much it may say. */
export interface ClamdBounds {
  readonly connectMs: number;
  /** Between two pieces that clamd takes. */
  readonly idleMs: number;
  /** From the last piece to the verdict; clamd gives up by itself before that (MaxScanTime). */
  readonly verdictMs: number;
  /** A whole scan; shorter than the lease of a scan. */
  readonly wholeMs: number;
  readonly replyBytes: number;
}

export const CLAMD_BOUNDS: ClamdBounds = {
  connectMs: 3_000,
  idleMs: 30_000,
  verdictMs: 150_000,
  wholeMs: 300_000,
  replyBytes: 4_096,
};
