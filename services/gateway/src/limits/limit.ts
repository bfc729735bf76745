/** One allowance: at most `most` requests under `key` in any `windowMs`. */
export interface Limit {
  /** What is counted, and for whom. */
  readonly key: string;
  /** At least 1. */
  readonly most: number;
  /** A multiple of the number of slices; see sliding-window.ts. */
  readonly windowMs: number;
}

/** Whether a request may pass, and if not, after how many milliseconds (at least 1) the next one may. */
export type Verdict = { readonly passes: true } | { readonly passes: false; readonly retryMs: number };

export const PASSES: Verdict = { passes: true };

/**
 * Counts a request under a limit and says whether it passes, at once where nobody has to be asked. A refused request is
 * not counted. Never rejects.
 */
export type CheckLimit = (limit: Limit) => Verdict | Promise<Verdict>;
