import type { Sweep } from '@supplier/lib/runtime/sweepers';
import type { Context } from '../context.ts';
import type { Span } from '../model/reconciliation.ts';
import { takeTurn } from './reconciliation.sql.ts';
import { reconcileChanges, repairChanges } from './repair-changes.ts';

/** How often each replica checks whether it has the turn. */
const LOOK_EVERY_MS = 30_000;
const TASK = 'reconcile';
/** Younger changes may be in transit. */
const YOUNGEST_MS = 60_000;
/** How far the first run, or one after a pause, looks back. */
const OLDEST_MS = 24 * 3_600_000;
/** A million changes, at 500 per page. */
const MAX_PAGES = 2_000;

/**
 * Checks that changes have the expected events, one replica for all, starting slightly before the end of the last run;
 * restates the status of submissions with lost changes. Implements docs/contract.md, section 7.
 */
export const reconcile: Sweep<Context> = {
  found: 'reconciliation found faults',
  level: 'warn',
  everyMs: LOOK_EVERY_MS,
  async run(context) {
    const { db, pool, listChanges, reconcileEveryMs, countReconciled } = context;
    const turn = await takeTurn(pool, TASK, reconcileEveryMs);
    if (!turn) return { count: 0, more: false };
    const span = spanOf(turn.now, turn.doneUntil, reconcileEveryMs);
    const found = await reconcileChanges({ pool, listChanges, maxPages: MAX_PAGES }, span);
    const { restated, settled } = await repairChanges(context, found, turn.now);
    countReconciled(
      found.exceptions.map(({ fault }) => fault),
      restated,
    );
    if (settled && found.complete)
      await db.taskTurn.update({ where: { task: TASK }, data: { doneUntil: span.until } });
    return { count: found.exceptions.length + found.omitted, more: false };
  },
};

/**
 * Returns the period to check. It overlaps the previous one, so that each change is checked twice: one that was in
 * transit the first time may be stuck the second.
 */
function spanOf(now: Date, doneUntil: Date | undefined, everyMs: number): Span {
  const until = new Date(now.getTime() - YOUNGEST_MS);
  const oldest = until.getTime() - OLDEST_MS;
  const since = doneUntil ? Math.max(oldest, doneUntil.getTime() - everyMs) : oldest;
  return { since: new Date(Math.min(since, until.getTime() - everyMs)), until };
}
