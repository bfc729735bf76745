import type { SubmissionId } from '@supplier/lib/ids';
import type { SupplierPrincipal } from '@supplier/lib/rpc-server';
import type pg from 'pg';
import { type LeadRow, lockLead } from '../db/load-leads.ts';
import { submissionNotFound } from './refusals.ts';

/** The supplier's own submission, locked. Another supplier's is refused like one that never was, and is not locked. */
export async function submissionOfSupplier(
  tx: pg.PoolClient,
  { accountId, environment }: SupplierPrincipal,
  id: SubmissionId,
): Promise<LeadRow> {
  const row = await lockLead(tx, id, { accountId, environment });
  if (!row) throw submissionNotFound();
  return row;
}
