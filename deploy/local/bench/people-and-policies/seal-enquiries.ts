import type { Workbench } from '../workbench.ts';

const CHUNK = 5_000;
const STATEMENT_MS = 300_000;

/** The associated data of an enquiry, as the submission service seals it: a dry run opens it. */
const enquiryOf = (row: string) => ({ table: 'submission', column: 'enquiry', row });

/**
 * Gives the latest filled-in submissions of an account an enquiry that opens: what was sealed for the lead that they are
 * copies of, sealed again for each.
 */
export async function sealEnquiries(bench: Workbench, accountId: string, count: number): Promise<void> {
  const ring = bench.keyRing('submission');
  const client = await bench.database('submission').connect();
  try {
    await client.query(`SET statement_timeout = ${STATEMENT_MS}`);
    const { rows: copies } = await client.query<{ id: string }>(
      `SELECT id FROM submission WHERE account_id = $1 AND external_reference LIKE 'filled-%' ORDER BY id DESC LIMIT $2`,
      [accountId, count],
    );
    const { rows: originals } = await client.query<{ id: string; enquiry: Buffer }>(
      `SELECT id, enquiry FROM submission
        WHERE account_id = $1 AND external_reference NOT LIKE 'filled-%' AND enquiry IS NOT NULL ORDER BY received_at LIMIT 1`,
      [accountId],
    );
    const [original] = originals;
    if (!original) throw new Error('there is no enquiry to copy');
    const enquiry = ring.open(original.enquiry, enquiryOf(original.id));
    for (let at = 0; at < copies.length; at += CHUNK) {
      const ids = copies.slice(at, at + CHUNK).map(({ id }) => id);
      await client.query(
        `UPDATE submission w SET enquiry = given.enquiry FROM unnest($1::uuid[], $2::bytea[]) AS given(id, enquiry)
          WHERE w.id = given.id`,
        [ids, ids.map((id) => ring.seal(enquiry, enquiryOf(id)))],
      );
    }
    await client.query('VACUUM ANALYZE submission');
    await client.query('RESET statement_timeout');
  } finally {
    client.release();
  }
}
