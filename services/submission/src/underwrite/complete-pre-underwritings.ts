import type { Context, Rpcs } from '../context.ts';
import { runBatch } from '../decide/run-batch.ts';
import { completePreUnderwriting } from './complete-pre-underwriting.ts';

/** Outcomes of pre-underwritings that were left to staff: up to 100, with a result for each. Implements docs/contract.md, section 5. */
export function completePreUnderwritings(context: Context): Rpcs['completePreUnderwritings'] {
  const act = completePreUnderwriting(context);
  return ({ completions }, call) => runBatch(context, 'completions', completions, call, act);
}
