import pg from 'pg';
import { readStack } from './stack.ts';

/** An event with attempts left behind could never be delivered, if the stream brings it again. */
export const EVENT_AND_ATTEMPTS =
  'WITH attempts AS (DELETE FROM attempt WHERE event_id = $1) DELETE FROM event WHERE id = $1';

/** Deletes or plants `count` rows by one id, which no service operation can do. */
export async function deleteRows(service: string, sql: string, id: string, count = 1): Promise<void> {
  const url = Object.assign(new URL(readStack().postgres), { pathname: `/${service}` });
  const client = new pg.Client({ connectionString: url.href, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    await client.query("SET session_replication_role = 'replica'");
    const { rowCount } = await client.query(sql, [id]);
    if (rowCount !== count) throw new Error(`${sql} affected ${rowCount} rows instead of ${count}`);
  } finally {
    await client.end();
  }
}
