import type { AccountId, SubmissionId } from '@supplier/lib/text/ids';
import type { Context } from '../context.ts';
import type { Month } from '../model/month.ts';
import { closingFaultOf, FAULTS } from '../model/reconciliation.ts';
import { findLinesOf } from '../store/ledger.sql.ts';
import { LISTED_AT_ONCE } from '../submission-client.ts';
import { type LinePosition, listLines } from './statements.sql.ts';

/** How many calls to the submission service a comparison makes concurrently: a caller waits for it. */
const CONCURRENT = 4;
const LINES_AT_ONCE = CONCURRENT * LISTED_AT_ONCE;

/** The lines of a month, compared with the submission service. */
export interface ComparedLines {
  readonly compared: number;
  /** Why the first line that has to be settled keeps the month open; undefined for none. */
  readonly refusal: string | undefined;
}

/**
 * Compares the lines of a month with the submissions that must explain them, 4,000 at a time and without a lock, up to
 * the first that they don't explain. Throws UNAVAILABLE when the submission service does not respond.
 */
export async function findUnexplainedLine(
  { pool, clock, listBilled }: Pick<Context, 'pool' | 'clock' | 'listBilled'>,
  accountId: AccountId,
  month: Month,
  signal: AbortSignal,
): Promise<ComparedLines> {
  let [compared, after]: [number, LinePosition | undefined] = [0, undefined];
  for (;;) {
    signal.throwIfAborted();
    const page = await listLines(pool, accountId, month, after, LINES_AT_ONCE);
    compared += page.length;
    const ids = [...new Set(page.map(({ submissionId }) => submissionId))];
    const parts = Array.from({ length: CONCURRENT }, (_, part) =>
      ids.slice(part * LISTED_AT_ONCE, (part + 1) * LISTED_AT_ONCE),
    );
    const refusal = (await Promise.all(parts.map(refusalFor))).find((one) => one !== undefined);
    if (refusal || page.length < LINES_AT_ONCE) return { compared, refusal };
    after = page.at(-1);
  }

  async function refusalFor(ids: readonly SubmissionId[]): Promise<string | undefined> {
    if (ids.length === 0) return undefined;
    // A submission explains its lines before they are posted, so its state is read later.
    const lines = await findLinesOf({ pool, clock }, ids);
    const states = new Map((await listBilled(ids)).map((state) => [state.submissionId, state]));
    for (const id of ids) {
      const fault = closingFaultOf(states.get(id), lines.get(id) ?? []);
      if (fault)
        return `Submission ${id} doesn't explain its line of the month: ${FAULTS[fault]} (${fault}). Run sss reconcile, and resolve such differences as docs/reconciling.md says.`;
    }
    return undefined;
  }
}
