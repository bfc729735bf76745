import type { Context, Rpcs } from '../context.ts';
import { runBatch } from '../decide/run-batch.ts';
import { returnSubmission } from './return-submission.ts';

/** Returns by staff: up to 100, with a result for each. Implements docs/contract.md, section 5. */
export function returnSubmissions(context: Context): Rpcs['returnSubmissions'] {
  const act = returnSubmission(context);
  return ({ returns }, call) => runBatch(context, 'returns', returns, call, act);
}
