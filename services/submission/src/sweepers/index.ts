import type { Sweep } from '@supplier/lib/sweepers';
import type { Context } from '../context.ts';
import { sweepNotPreUnderwritten } from './sweep-not-pre-underwritten.ts';
import { sweepUnbilled } from './sweep-unbilled.ts';
import { sweepUndecided } from './sweep-undecided.ts';
import { sweepUnminted } from './sweep-unminted.ts';

const EVERY_MS = 5_000;

/** What the submission service looks for without being asked: work that stands still because an event was missed. */
export const SWEEPS: readonly Sweep<Context>[] = [
  standingStill('moved undecided submissions that stood still', sweepUndecided),
  standingStill('moved unminted Applications that stood still', sweepUnminted),
  standingStill('moved pre-underwriting that stood still', sweepNotPreUnderwritten),
  standingStill('moved billing that stood still', sweepUnbilled),
];

function standingStill(found: string, sweep: (context: Context) => Promise<number>): Sweep<Context> {
  return {
    found,
    level: 'warn',
    everyMs: EVERY_MS,
    run: async (context) => ({ count: await sweep(context), more: false }),
  };
}
