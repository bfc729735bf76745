import type { SubmissionId } from '@supplier/lib/text/ids';
import type { Pool } from 'pg';

/** Inserts copies of a submission, each a millisecond before the previous one, with ids before all others. */
export async function insertCopies(
  pool: Pool,
  id: SubmissionId,
  count: number,
  changes: Record<string, string> = {},
): Promise<void> {
  const own = {
    id: `overlay(gen_random_uuid()::text PLACING left(event_id_floor('2026-01-01'::timestamptz - n * interval '1 ms')::text, 13) FROM 1)::uuid`,
    external_reference: `'copy-' || n || '-' || gen_random_uuid()`,
    received_at: `'2026-01-01'::timestamptz - n * interval '1 ms'`,
    application_reference: 'NULL',
    application_created_at: 'NULL',
    billing_status: '1',
    billable_at: 'NULL',
    ...changes,
  };
  const { rows } = await pool.query<{ name: string }>(
    `SELECT column_name AS name FROM information_schema.columns WHERE table_name = 'submission'`,
  );
  const names = rows.map(({ name }) => name);
  const values = names.map((name) => own[name as keyof typeof own] ?? `t.${name}`);
  await pool.query(
    `INSERT INTO submission (${names}) SELECT ${values} FROM submission t, generate_series(1, ${count}) n WHERE t.id = '${id}'`,
  );
}
