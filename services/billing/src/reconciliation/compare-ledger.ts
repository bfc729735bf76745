import { setTimeout as pause } from 'node:timers/promises';
import type { SubmissionId } from '@supplier/lib/ids';
import type { Comparison } from '@supplier/lib/reconciliation';
import type { Context } from '../context.ts';
import { FAULTS } from '../domain/reconciliation.ts';
import { type Difference, findDifferences } from './find-differences.ts';
import { mendLead, restateLost } from './mend-lead.ts';

const SETTLES_WITHIN_MS = 5_000;

/**
 * The comparison of the ledger with what suppliers are shown, one page of changes at a time. It repairs a line that is
 * missing, a decision that the submission service has not heard, and a lead that billing has lost, which arrives a moment
 * later; what is charged twice, or for another account, is for people. `settle` waits until what was on its way has arrived.
 * Implements docs/contract.md, section 6.
 */
export function compareLedger(
  context: Context,
  settle: () => Promise<unknown> = () => pause(SETTLES_WITHIN_MS),
): Comparison {
  const { pool, listChanged, listShown } = context;
  return async ({ span, at, repair }) => {
    const page = await listChanged(span, at);
    // One that changed twice is listed twice.
    const submissionIds = [...new Set(page.submissionIds)];
    const differences = await findDifferences({ pool, listShown, settle }, submissionIds);
    const mended = repair ? await mend(context, differences) : new Set<SubmissionId>();
    return {
      compared: submissionIds.length,
      differences: differences.map(({ fault, shown: { submissionId, accountId } }) => ({
        what: fault,
        target: submissionId,
        accountId,
        explanation: FAULTS[fault],
        repaired: mended.has(submissionId),
      })),
      next: page.next,
    };
  };
}

/**
 * Has put right what can be. Lost leads come first: where the submission service fails, no line has been entered, and the
 * whole repair can be asked for again.
 */
async function mend(
  context: Context,
  differences: readonly Difference[],
): Promise<ReadonlySet<SubmissionId>> {
  const mended = new Set(await restateLost(context, differences));
  for (const { fault, shown } of differences)
    if (!mended.has(shown.submissionId) && (await mendLead(context, fault, shown)))
      mended.add(shown.submissionId);
  return mended;
}
