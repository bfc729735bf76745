import type pg from 'pg';
import type { Lead } from '../domain/lead.ts';
import { LEAD, type LeadRow, leadOf } from './lead-row.ts';

/**
 * The leads of a set as they now are, each of `opening` opened where there is none yet, with the newest version seen.
 * All are locked until the transaction ends, in ascending order of ids in every transaction: another one with events of
 * the same leads waits, and two sets never deadlock.
 */
export async function upsertLeads(tx: pg.PoolClient, opening: readonly Lead[]): Promise<Lead[]> {
  const { rows } = await tx.query<LeadRow>({
    name: 'upsert-leads',
    text: UPSERT,
    values: LEAD.values(opening),
  });
  return rows.map(leadOf);
}

const UPSERT = `
  INSERT INTO lead (${LEAD.names})
  SELECT ${LEAD.names} FROM ${LEAD.given()} ORDER BY submission_id
  ON CONFLICT (submission_id) DO UPDATE SET last_seen_version = GREATEST(lead.last_seen_version, EXCLUDED.last_seen_version)
  RETURNING ${LEAD.names}`;
