import { readFileSync, statSync } from 'node:fs';
import { CommandFailure, exitCodes } from '../exit-codes.ts';

const MAX_BYTES = 4 * 1024 * 1024;
/** Maximum ids per command. */
export const MAX_IDS = 10_000;

/**
 * Reads ids from a file of at most 4 MiB or, for `-`, from the standard input. It has one id per line, or is CSV with a
 * head line, as `--csv` prints it, from which the column `column` is read. Throws CommandFailure.
 */
export function readIds(path: string, column: string): string[] {
  const from = path === '-' ? 'standard input' : path;
  try {
    if (path !== '-' && statSync(path).size > MAX_BYTES) throw new Error('it is larger than 4 MiB');
    const [head = [], ...records] = parseCsv(readFileSync(path === '-' ? 0 : path, 'utf8'));
    const at = head.indexOf(column);
    if (at < 0 && head.length > 1) throw new Error(`its first line has no column ${column}`);
    const rows = at < 0 && head.length > 0 ? [head, ...records] : records;
    return rows.map((cells) => cells[Math.max(at, 0)]?.trim() ?? '');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(exitCodes.usage, `cannot read ids from ${from}: ${reason}`);
  }
}

/** Parses records of RFC 4180, skipping empty lines. Line ends may be CRLF or LF. */
function parseCsv(text: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;
  const plain = text.replace(/^\uFEFF/, '');
  while (cell.lastIndex < plain.length) {
    const found = cell.exec(plain);
    if (!found) throw new Error(`line ${records.length + 1} is not valid CSV`);
    const [, quoted, bare = '', end] = found;
    record.push(quoted?.replaceAll('""', '"') ?? bare);
    if (end === ',') continue;
    records.push(record);
    record = [];
  }
  if (record.length > 0) records.push([...record, '']);
  return records.filter((cells) => cells.some((one) => one.trim() !== ''));
}
