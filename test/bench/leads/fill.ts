import { reasonOf } from '../../../deploy/local/terminal.ts';
import type { Bench } from '../bench.ts';
import { DAYS, type FilledTable, filledTables } from './fill-tables.ts';

const CHUNK = 20_000;

/**
 * Ids from the time at which the submission arrived, as the system makes them, and equal in every table that refers to the
 * submission. They precede all that the system has created for the copied submission and since: the newest events must be real
 * ones, which the relay looks up in the stream.
 */
const idFunctions = ({ receivedAtMs }: Template, rows: number) => `
  CREATE OR REPLACE FUNCTION pg_temp.bench_id(kind text, g bigint) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
    SELECT (lpad(to_hex((${receivedAtMs} - ${DAYS * 86_400_000} * (1 - g / ${rows}::float8))::bigint), 12, '0') || '7' ||
            substr(md5(kind || g), 1, 3) || '8' || substr(md5(kind || g), 4, 15))::uuid $$;
  CREATE OR REPLACE FUNCTION pg_temp.bench_event_id(kind text, part float8, g bigint) RETURNS uuid LANGUAGE sql STABLE AS $$
    SELECT (lpad(to_hex((${receivedAtMs} - 518400000 * (1 - part))::bigint), 12, '0') || '7' ||
            substr(md5(kind || g), 1, 3) || '8' || substr(md5(kind || g), 4, 15))::uuid $$`;

/** The lead to copy. */
interface Template {
  readonly id: string;
  readonly receivedAtMs: number;
}

/**
 * Inserts `rows` settled submissions into the tables of all services, or of `only` the given ones. Each is a copy of a submission
 * that went through the system, with different keys. Their sealed values can't be decrypted. Throws when a table can't
 * be filled.
 */
export async function fillTables(
  bench: Bench,
  rows: number,
  only?: readonly FilledTable['service'][],
): Promise<void> {
  const template = await settledSubmission(bench);
  const tables = filledTables.filter(({ service }) => only?.includes(service) ?? true);
  for (const filled of tables) await fillTable(bench, filled, template, rows);
  for (const service of new Set(tables.map(({ service }) => service)))
    await bench.database(service).query('VACUUM ANALYZE');
}

/** Returns the first submission that was accepted, billed and delivered. */
async function settledSubmission(bench: Bench): Promise<Template> {
  const { rows } = await bench.database('submission').query<{ id: string; received_at: Date }>(
    `SELECT id, received_at FROM submission WHERE status = 2 AND billing_status = 2 AND level = 2
      ORDER BY received_at LIMIT 1`,
  );
  const [row] = rows;
  if (!row) throw new Error('there is no settled lead to copy');
  return { id: row.id, receivedAtMs: row.received_at.getTime() };
}

async function fillTable(
  bench: Bench,
  { service, table, where, changes }: FilledTable,
  template: Template,
  rows: number,
): Promise<void> {
  const client = await bench.database(service).connect();
  try {
    await client.query(idFunctions(template, rows));
    const columns = await client.query<{ name: string }>(
      `SELECT column_name AS name FROM information_schema.columns
        WHERE table_schema = 'public' AND table_name = $1 AND is_generated = 'NEVER' ORDER BY ordinal_position`,
      [table],
    );
    const names = columns.rows.map(({ name }) => name);
    // Every statement gets all three parameters: the submission, the total number, and the first number of its batch.
    const insert = `
      INSERT INTO "${table}" (${names.map((name) => `"${name}"`).join(', ')}) OVERRIDING SYSTEM VALUE
      SELECT ${names.map((name) => changes[name] ?? `t."${name}"`).join(', ')}
        FROM (SELECT * FROM "${table}" WHERE ${where} LIMIT 1) AS t,
             generate_series($3::bigint, least($3::bigint + ${CHUNK - 1}, $2::bigint)) AS g`;
    let filled = 0;
    for (let done = 0; done < rows; done += CHUNK)
      filled += (await client.query(insert, [template.id, rows, done + 1])).rowCount ?? 0;
    bench.progress(`  ${service}.${table}: ${filled} rows`);
  } catch (error) {
    throw new Error(`cannot fill ${service}.${table}: ${reasonOf(error)}`, { cause: error });
  } finally {
    client.release();
  }
}
