import { fromBinary } from '@bufbuild/protobuf';
import type { KeyRing } from '@supplier/lib/data/crypto';
import { type Enquiry, EnquirySchema } from '@supplier/proto/common/v1/enquiry';
import type { Context } from '../context.ts';
import { transitionInputs } from '../decide/index.ts';
import { snapshotAad } from '../model/associated-data.ts';
import { preUnderwrite } from '../model/transitions.ts';
import { SUBMISSION_COLUMNS, type SubmissionRow, submissionOf } from '../store/load-submissions.sql.ts';
import { saveSubmissions } from '../store/save-submissions.sql.ts';
import type { Work } from '../work/index.ts';

/**
 * Pre-underwrites Applications created by promotions, which do not include it. Implements docs/contract.md, section 5.
 */
export function preUnderwriteApplications(context: Context): Work<SubmissionRow> {
  const { keyRing } = context;
  return {
    name: 'pre-underwrite',
    source: {
      table: 'submission',
      columns: SUBMISSION_COLUMNS,
      pending: `application a JOIN submission w ON w.id = a.submission_id
                WHERE a.pre_underwriting = 1 AND a.pre_underwriting_at IS NULL AND a.snapshot IS NOT NULL AND w.status = 2`,
      order: 'a.created_at',
      // Only the Application makes it pending, so locking that row is enough.
      locks: 'w, a',
    },
    lanes: 1,
    async run(tx, rows) {
      const inputs = transitionInputs(context);
      const assessed = rows.map((row) =>
        preUnderwrite(submissionOf(row), openSnapshot(keyRing, row), inputs),
      );
      saveSubmissions(tx, keyRing, assessed);
      return { afterCommit: context.wakes.relay };
    },
  };
}

function openSnapshot(keyRing: KeyRing, { id, snapshot }: SubmissionRow): Enquiry {
  if (!snapshot) throw new Error('invariant violated: an Application without a snapshot was claimed');
  return fromBinary(EnquirySchema, keyRing.open(snapshot, snapshotAad(id)));
}
