import { createDecipheriv } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { request } from 'undici';
import { type Forms, filesHolding } from './encoded-forms.ts';
import { rowsOf } from './processes.ts';
import { readStack, stackFile } from './stack.ts';

/** Returns the stack's files below a state folder that contain one of the forms. */
export const filesWith = (folder: string, forms: Forms): string[] =>
  filesHolding(join(dirname(stackFile()), folder), forms);

/** Returns every database of the stack's server, including databases that no service uses. */
export async function databases(): Promise<string[]> {
  const listed = `SELECT datname AS name FROM pg_database WHERE datallowconn AND NOT datistemplate`;
  return ((await rowsOf('postgres', listed, [])) as { name: string }[]).map(({ name }) => name);
}

/** Returns the tables of a database with a row that contains one of the forms, in clear or as hex-encoded bytes. */
export async function tablesWith(database: string, { texts, bytes }: Forms): Promise<string[]> {
  const forms = [...texts, ...bytes.map((form) => form.toString('hex'))];
  const pattern = [...new Set(forms)].map((form) => form.replace(/[^\w]/g, '\\$&')).join('|');
  const listed = `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
                   WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`;
  const tables = (await rowsOf(database, listed, [])) as { name: string }[];
  const found: string[] = [];
  for (const { name } of tables) {
    const sql = `SELECT 1 FROM ${name} AS row WHERE row::text ~* $1 LIMIT 1`;
    if ((await rowsOf(database, sql, [pattern])).length > 0) found.push(`${database} ${name}`);
  }
  return found;
}

/** Returns the metrics pages that contain one of the forms. Throws if a page isn't a metrics page. */
export async function metricsWith({ texts }: Forms): Promise<string[]> {
  const found: string[] = [];
  for (const [name, url] of Object.entries(readStack().metrics)) {
    const page = (await (await request(url)).body.text()).toLowerCase();
    if (!page.includes('process_cpu_seconds_total')) throw new Error(`${url} is not a metrics page`);
    if (texts.some((text) => page.includes(text.toLowerCase()))) found.push(name);
  }
  return found;
}

const TAG_BYTES = 16;
const NONCE_BYTES = 12;
const MAX_ROWS = 50_000;

/** The services whose databases hold sealed values. */
const SEALING = ['submission', 'document', 'webhook'] as const;

/**
 * Returns the byte columns with a value that contains one of the forms once decrypted under any key of the service's
 * ring. Ignores the context that a value is bound to, so it also finds misplaced values.
 */
export async function sealedWith({ bytes: forms }: Forms): Promise<string[]> {
  const found = new Set<string>();
  for (const service of SEALING) {
    const path = join(dirname(stackFile()), 'key-rings', `${service}.json`);
    const { keys } = JSON.parse(readFileSync(path, 'utf8')) as { keys: Record<string, string> };
    const columns = (await rowsOf(
      service,
      `SELECT table_name AS table, column_name AS column FROM information_schema.columns
        WHERE table_schema = 'public' AND data_type = 'bytea'`,
      [],
    )) as { table: string; column: string }[];
    for (const { table, column } of columns) {
      const sql = `SELECT "${column}" AS value FROM "${table}" WHERE octet_length("${column}") > 0 LIMIT ${MAX_ROWS + 1}`;
      const rows = (await rowsOf(service, sql, [])) as { value: Buffer }[];
      if (rows.length > MAX_ROWS) throw new Error(`${service}.${table} has more rows than are read`);
      if (rows.some(({ value }) => holds(value, keys, forms))) found.add(`${service} ${table}.${column}`);
    }
  }
  return [...found].sort();
}

function holds(value: Buffer, keys: Readonly<Record<string, string>>, forms: readonly Buffer[]): boolean {
  const opened = decrypted(value, keys);
  return opened !== undefined && forms.some((form) => opened.includes(form));
}

/** Returns undefined if no key of the ring matches. The tag isn't checked: that would require the bound context. */
function decrypted(value: Buffer, keys: Readonly<Record<string, string>>): Buffer | undefined {
  const nonceAt = 2 + (value[1] ?? 0);
  const key = keys[value.toString('latin1', 2, nonceAt)];
  if (value[0] !== 1 || key === undefined || value.length < nonceAt + NONCE_BYTES + TAG_BYTES)
    return undefined;
  const nonce = value.subarray(nonceAt, nonceAt + NONCE_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', Buffer.from(key, 'base64'), nonce, {
    authTagLength: TAG_BYTES,
  });
  return decipher.update(value.subarray(nonceAt + NONCE_BYTES, -TAG_BYTES));
}
