import type { Context } from '../context.ts';
import { transitionInputs } from '../decide/index.ts';
import { mintAndAssess } from '../model/transitions.ts';
import { SUBMISSION_COLUMNS, type SubmissionRow, submissionOf } from '../store/load-submissions.sql.ts';
import { saveSubmissions } from '../store/save-submissions.sql.ts';
import { openWorkingEnquiry } from '../store/submission-row.ts';
import type { Work } from '../work/index.ts';

/**
 * Mints the Applications of accepted basic submissions from their known data, and pre-underwrites them, unless the
 * account's terms leave that to the promotion. Implements docs/contract.md, section 5.
 */
export function mintApplications(context: Context): Work<SubmissionRow> {
  const { keyRing } = context;
  return {
    name: 'mint',
    source: {
      table: 'submission',
      columns: SUBMISSION_COLUMNS,
      pending: `submission w LEFT JOIN application a ON a.submission_id = w.id
                WHERE w.level = 1 AND w.status = 2 AND w.application_minting = 1 AND w.application_reference IS NULL
                  AND w.enquiry IS NOT NULL`,
      order: 'w.work_due_at, w.id',
    },
    lanes: 1,
    async run(tx, rows) {
      const inputs = transitionInputs(context);
      const minted = rows.map((row) =>
        mintAndAssess(submissionOf(row), openWorkingEnquiry(keyRing, row), inputs),
      );
      saveSubmissions(tx, keyRing, minted);
      return { afterCommit: context.wakes.relay };
    },
  };
}
