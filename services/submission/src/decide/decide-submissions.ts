import type { Context, Rpcs } from '../context.ts';
import { decideSubmission } from './decide-submission.ts';
import { runBatch } from './run-batch.ts';

/** Decisions by staff: up to 100, with a result for each. Implements docs/contract.md, section 5. */
export function decideSubmissions(context: Context): Rpcs['decideSubmissions'] {
  const act = decideSubmission(context);
  return ({ decisions }, call) => runBatch(context, 'decisions', decisions, call, act);
}
