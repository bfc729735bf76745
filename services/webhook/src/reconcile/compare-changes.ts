import type { Comparison } from '@supplier/lib/governance/reconciliation';
import type { EventId } from '@supplier/lib/text/ids';
import type { Context } from '../context.ts';
import { FAULTS, type ListChanges } from '../model/reconciliation.ts';
import { mendAtOnce } from './mend-changes.ts';
import { reconcileChanges } from './reconcile-changes.ts';

/**
 * Compares changes of submissions with their events, one page of changes at a time. It repairs a lost change by having
 * the submission's present status emitted again; a late attempt is left to the workers, or to staff. Implements
 * docs/contract.md, section 7.
 */
export function compareChanges(context: Context): Comparison {
  const { pool, listChanges } = context;
  return async ({ span, at, repair }) => {
    let next = '';
    const onePage: ListChanges = async (asked) => {
      const page = await listChanges(asked, at);
      next = page.next;
      return { ...page, next: '' };
    };
    const { checked, exceptions } = await reconcileChanges({ pool, listChanges: onePage }, span);
    const mended = repair ? await mendAtOnce(context, exceptions) : new Set<EventId>();
    return {
      compared: checked,
      differences: exceptions.map((exception) => ({
        what: exception.fault,
        target: exception.change.submissionId,
        accountId: exception.change.accountId,
        explanation: `${FAULTS[exception.fault]} (event ${exception.change.eventId})`,
        repaired: mended.has(exception.change.eventId),
      })),
      next,
    };
  };
}
