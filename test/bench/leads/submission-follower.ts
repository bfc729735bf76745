import { monotonicMs } from './monotonic.ts';

/** The progress of a series of submissions; times by number, on the clock of monotonicMs (NaN: not yet). */
export interface SubmissionArrivals {
  /**
   * The number of submissions whose decision, and whose billing outcome, a webhook has reported. Nothing follows the latter.
   */
  readonly decided: number;
  readonly settled: number;
  readonly decidedAt: Float64Array;
  readonly settledAt: Float64Array;
}

/** Records the progress of one series of submissions from webhook bodies. */
export interface SubmissionFollower {
  note(body: Buffer): void;
  arrivals(): SubmissionArrivals;
}

const REFERENCE = '"external_reference":"';
const MOST_SUBMISSIONS = 10_000_000;

/**
 * Follows submissions with references of the form `SERIES-NUMBER`; without a series, none. Reads bodies as text, which is
 * cheap.
 */
export function submissionFollower(series: string | undefined): SubmissionFollower {
  const decidedAt: number[] = [];
  const settledAt: number[] = [];
  let [decided, settled] = [0, 0];
  const mark = `${REFERENCE}${series ?? ''}-`;
  return {
    note(body) {
      if (series === undefined) return;
      const text = body.toString('latin1');
      const from = text.indexOf(mark);
      if (from < 0) return;
      const start = from + mark.length;
      const number = Number(text.slice(start, text.indexOf('"', start)));
      if (!(number >= 0 && number < MOST_SUBMISSIONS)) return;
      const now = monotonicMs();
      if (decidedAt[number] === undefined && !text.includes('"status":"received"')) {
        decidedAt[number] = now;
        decided += 1;
      }
      if (settledAt[number] === undefined && !text.includes('"billing_status":"pending"')) {
        settledAt[number] = now;
        settled += 1;
      }
    },
    arrivals: () => ({ decided, settled, decidedAt: dense(decidedAt), settledAt: dense(settledAt) }),
  };
}

const dense = (times: readonly number[]): Float64Array =>
  Float64Array.from({ length: times.length }, (_, index) => times[index] ?? Number.NaN);
