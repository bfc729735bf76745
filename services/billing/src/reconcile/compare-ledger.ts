import { setTimeout as pause } from 'node:timers/promises';
import { inTransaction } from '@supplier/lib/data/postgres';
import type { Comparison } from '@supplier/lib/governance/reconciliation';
import { type EventId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import type { Context } from '../context.ts';
import { type BilledState, linesOf } from '../model/ledger.ts';
import { canRepair, FAULTS, type Fault, faultOf } from '../model/reconciliation.ts';
import { findLinesOf, postLines } from '../store/ledger.sql.ts';

const SETTLES_WITHIN_MS = 5_000;
/** The submission service lists up to this many submissions per call. */
const MAX_LISTED = 100;

type Sources = Pick<Context, 'db' | 'pool' | 'listChanged' | 'listBilled'>;

interface Difference {
  readonly fault: Fault;
  readonly state: BilledState;
}

/**
 * Compares the ledger with the status that suppliers see, one page of changes at a time. A difference counts if it
 * remains after `settle`, once events in flight have arrived. A repair posts missing lines; other differences need a
 * person. Implements docs/contract.md, section 6.
 */
export function compareLedger(
  sources: Sources,
  settle: () => Promise<unknown> = () => pause(SETTLES_WITHIN_MS),
): Comparison {
  return async ({ span, at, repair }) => {
    const page = await sources.listChanged(span, at);
    const submissionIds = [...new Set(page.submissionIds)];
    const suspects = await findDifferences(sources, submissionIds);
    if (suspects.length > 0) await settle();
    const differences = await findDifferences(
      sources,
      suspects.map(({ state }) => state.submissionId),
    );
    const repaired = repair ? differences.filter(({ fault, state }) => canRepair(fault, state)) : [];
    await postMissingLines(sources, repaired);
    return {
      compared: submissionIds.length,
      differences: differences.map((difference) => ({
        what: difference.fault,
        target: difference.state.submissionId,
        accountId: difference.state.accountId,
        explanation: FAULTS[difference.fault],
        repaired: repaired.includes(difference),
      })),
      next: page.next,
    };
  };
}

async function findDifferences(
  { db, listBilled }: Sources,
  submissionIds: readonly SubmissionId[],
): Promise<Difference[]> {
  const differences: Difference[] = [];
  for (let from = 0; from < submissionIds.length; from += MAX_LISTED) {
    const some = submissionIds.slice(from, from + MAX_LISTED);
    const [states, lines] = [await listBilled(some), await findLinesOf(db, some)];
    for (const state of states) {
      const fault = faultOf(state, lines.get(state.submissionId) ?? []);
      if (fault) differences.push({ fault, state });
    }
  }
  return differences;
}

/** Posts the lines that the consumer should have posted; changes nothing if it has posted them in the meantime. */
async function postMissingLines({ pool }: Sources, differences: readonly Difference[]): Promise<void> {
  const lines = linesOf(differences.map(({ state }) => ({ ...state, eventId: newId<EventId>() })));
  if (lines.length > 0) await inTransaction(pool, async (tx) => postLines(tx, lines));
}
