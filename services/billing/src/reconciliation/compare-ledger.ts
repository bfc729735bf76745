import { setTimeout as pause } from 'node:timers/promises';
import type { SubmissionId } from '@supplier/lib/ids';
import type { Comparison } from '@supplier/lib/reconciliation';
import type { Context } from '../context.ts';
import { FAULTS } from '../domain/reconciliation.ts';
import { mendLead } from './mend-lead.ts';
import { type ListChanged, reconcileLedger } from './reconcile-ledger.ts';

const SETTLES_WITHIN_MS = 5_000;

/**
 * The comparison of the ledger with what suppliers are shown, one page of changes at a time. It repairs a line that is
 * missing and a decision that the submission service has not heard; what is charged twice, or for another account, is for
 * people. `settle` waits until what was on its way has arrived. Implements docs/contract.md, section 6.
 */
export function compareLedger(
  context: Context,
  settle: () => Promise<unknown> = () => pause(SETTLES_WITHIN_MS),
): Comparison {
  const { pool, listChanged, listShown } = context;
  return async ({ span, at, repair }) => {
    let next = '';
    const onePage: ListChanged = async (asked) => {
      const page = await listChanged(asked, at);
      next = page.next;
      return { ...page, next: '' };
    };
    const parts = { pool, listChanged: onePage, listShown, settle };
    const { checked, differences } = await reconcileLedger(parts, span);
    const mended = new Set<SubmissionId>();
    if (repair)
      for (const { fault, shown } of differences)
        if (await mendLead(context, fault, shown)) mended.add(shown.submissionId);
    return {
      compared: checked,
      differences: differences.map(({ fault, shown: { submissionId, accountId } }) => ({
        what: fault,
        target: submissionId,
        accountId,
        explanation: FAULTS[fault],
        repaired: mended.has(submissionId),
      })),
      next,
    };
  };
}
