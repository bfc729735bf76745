import type pg from 'pg';

/** For tests: the columns of bytes that a database has, as `table.column`, without those that match `but`. */
export async function byteColumns(pool: pg.Pool, but: RegExp): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
      WHERE table_schema = 'public' AND data_type = 'bytea'`,
  );
  return rows.map(({ name }) => name).filter((name) => !but.test(name));
}
