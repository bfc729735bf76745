/** What a probe has found so far; `undefined` until a threshold is reached for the first time. */
export interface ProbeResult {
  readonly healthy: boolean | undefined;
  /** The last answer, and how often it came in a row. */
  readonly last: boolean | undefined;
  readonly inARow: number;
}

export interface Thresholds {
  readonly failureThreshold?: number | undefined;
  readonly successThreshold?: number | undefined;
}

export const NOTHING_YET: ProbeResult = { healthy: undefined, last: undefined, inARow: 0 };

/** The result after one more answer: it changes when as many in a row say so as the probe's thresholds ask for. */
export function afterAnswer(before: ProbeResult, answer: boolean, thresholds: Thresholds): ProbeResult {
  const inARow = before.last === answer ? before.inARow + 1 : 1;
  const needed = answer ? (thresholds.successThreshold ?? 1) : (thresholds.failureThreshold ?? 3);
  return { healthy: inARow >= needed ? answer : before.healthy, last: answer, inARow };
}
