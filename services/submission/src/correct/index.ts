import type { SupplierPrincipal } from '@supplier/lib/rpc/rpc-server';
import type { SubmissionId } from '@supplier/lib/text/ids';
import type pg from 'pg';
import { refuseSubmission, submissionNotFound } from '../refusals.ts';
import { lockSubmission, type SubmissionRow } from '../store/load-submissions.sql.ts';

export { savePromotedContact } from './save-contact.sql.ts';

/**
 * Loads and locks the supplier's own submission for an operation. Another supplier's submission is refused like an
 * unknown one and is not locked. An erased one is refused for any operation key, because the data to compare the key
 * with is gone.
 */
export async function submissionOfSupplier(
  tx: pg.PoolClient,
  { accountId, environment }: SupplierPrincipal,
  id: SubmissionId,
): Promise<SubmissionRow> {
  const row = await lockSubmission(tx, id, { accountId, environment });
  if (!row) throw submissionNotFound();
  if (row.enquiry === null) throw refuseSubmission('must belong to a submission that has not been erased');
  return row;
}
