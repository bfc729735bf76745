import { Status } from '@supplier/proto/common/v1/status';
import type { ListedSubmission } from '@supplier/proto/submission/v1/list_submissions';

/** Returns the submission after one, in the order of the list, that staff have yet to decide. */
export function nextWaiting(
  rows: readonly ListedSubmission[],
  { submissionId }: ListedSubmission,
): ListedSubmission | undefined {
  const at = rows.findIndex((row) => row.submissionId === submissionId);
  return rows.find(
    ({ status, waitsForStaff }, place) => place > at && waitsForStaff && status === Status.RECEIVED,
  );
}
