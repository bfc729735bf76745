import type { BenchOptions } from '../options.ts';

/** How long and how hard each part of the measurement is. */
export interface Sizes {
  readonly warmUpSeconds: number;
  /** Of each measurement in which every connection sends the next request when the last was answered. */
  readonly burstSeconds: number;
  readonly burstConnections: number;
  /** Of each rate of leads. */
  readonly rateSeconds: number;
  readonly rateConnections: number;
  readonly rates: readonly number[];
  /** Leads that are put into the tables before everything is measured again; 0: it is measured once. */
  readonly rows: number;
  readonly memoryEveryMs: number;
  /** For how long nothing may move before nobody waits any longer. */
  readonly stalledMs: number;
}

const STALLED_MS = 30_000;

const USUAL_RATES = [20, 200, 500];
const SHORT_RATES = [5, 20];

export function sizesOf({ short, seconds, rates, rows }: BenchOptions): Sizes {
  return short
    ? {
        warmUpSeconds: 1,
        burstSeconds: 1,
        burstConnections: 4,
        rateSeconds: seconds ?? 2,
        rateConnections: 16,
        rates: rates ?? SHORT_RATES,
        rows,
        memoryEveryMs: 1_000,
        stalledMs: STALLED_MS,
      }
    : {
        warmUpSeconds: 3,
        burstSeconds: 8,
        burstConnections: 64,
        rateSeconds: seconds ?? 15,
        rateConnections: 256,
        rates: rates ?? USUAL_RATES,
        rows,
        memoryEveryMs: 2_000,
        stalledMs: STALLED_MS,
      };
}
