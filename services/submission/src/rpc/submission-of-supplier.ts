import type { SubmissionId } from '@supplier/lib/ids';
import type { SupplierPrincipal } from '@supplier/lib/rpc-server';
import type { Transaction } from '../db/database.ts';
import type { Submission } from '../db/generated/client.ts';
import { lockSubmission } from '../db/lock-submission.ts';
import { submissionNotFound } from './submission-not-found.ts';

/** The supplier's own submission, locked. Another supplier's is refused like one that never was, and is not locked. */
export async function submissionOfSupplier(
  tx: Transaction,
  { accountId, environment }: SupplierPrincipal,
  id: SubmissionId,
): Promise<Submission> {
  const row = await lockSubmission(tx, id, { accountId, environment });
  if (!row) throw submissionNotFound();
  return row;
}
