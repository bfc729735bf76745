import type { ClientBase } from 'pg';

/** `invalid`: left behind by a build or a drop that did not finish. */
export async function indexState(session: ClientBase, name: string): Promise<'none' | 'valid' | 'invalid'> {
  const { rows } = await session.query<{ valid: boolean }>(
    `SELECT i.indisvalid AS valid FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid
      WHERE c.relname = $1 AND c.relnamespace = current_schema()::regnamespace`,
    [name],
  );
  const [found] = rows;
  if (!found) return 'none';
  return found.valid ? 'valid' : 'invalid';
}

export async function dropInvalidIndex(session: ClientBase, name: string): Promise<void> {
  await session.query(`DROP INDEX CONCURRENTLY ${session.escapeIdentifier(name)}`);
}
