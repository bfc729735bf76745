import type { SubmissionId } from '@supplier/lib/ids';
import type { Pool } from 'pg';
import { findOnLedger } from '../db/reconciliation.ts';
import {
  type Fault,
  faultOf,
  type ListShown,
  type OnLedger,
  type ShownSubmission,
} from '../domain/reconciliation.ts';

/** A production submission of which its supplier is shown something else than the ledger has. */
export interface Difference {
  readonly fault: Fault;
  readonly shown: ShownSubmission;
  /** Undefined where billing has no lead for it. */
  readonly found: OnLedger | undefined;
}

interface Parts {
  readonly pool: Pool;
  readonly listShown: ListShown;
  /** Waits until what was on its way has arrived. */
  readonly settle: () => Promise<unknown>;
}

/** As many as the submission service shows at once. */
const MAX_SHOWN = 100;

/**
 * Compares production submissions with the ledger. A difference counts when it is still there once what was on its way
 * has arrived. Changes nothing.
 */
export async function findDifferences(
  parts: Parts,
  submissionIds: readonly SubmissionId[],
): Promise<readonly Difference[]> {
  const suspects = await compare(parts, submissionIds);
  if (suspects.length === 0) return [];
  await parts.settle();
  return compare(
    parts,
    suspects.map(({ shown }) => shown.submissionId),
  );
}

async function compare(
  { pool, listShown }: Parts,
  submissionIds: readonly SubmissionId[],
): Promise<Difference[]> {
  const differences: Difference[] = [];
  for (let from = 0; from < submissionIds.length; from += MAX_SHOWN) {
    const some = submissionIds.slice(from, from + MAX_SHOWN);
    const [all, onLedger] = [await listShown(some), await findOnLedger(pool, some)];
    for (const shown of all) {
      if (shown.environment === 'sandbox') continue;
      const found = onLedger.get(shown.submissionId);
      const fault = faultOf(shown, found);
      if (fault) differences.push({ fault, shown, found });
    }
  }
  return differences;
}
