import { visible } from '@supplier/lib/text/visible';
import { labelOf } from './format-value.ts';

export interface Table {
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const GAP = '  ';
/** Minimum width of a text column. Below it, each row becomes a separate block. */
const MIN_COLUMN_WIDTH = 12;
const ID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

/**
 * Returns the lines of a table that fits into `width` columns. Long texts are truncated with an ellipsis, ids and times
 * never. A table that can't fit becomes one block for each row. Without a width, nothing is truncated.
 */
export function tableLines({ heads: names, rows: cells }: Table, width: number | undefined): string[] {
  const heads = names.map((name) => labelOf(name.toLowerCase()).toUpperCase());
  // Escape first, because escapes take more room.
  const rows = cells.map((row) => row.map(visible));
  const wanted = heads.map((head, at) =>
    Math.max(widthOf(head), ...rows.map((row) => widthOf(row[at] ?? ''))),
  );
  const widths = width === undefined ? wanted : fit(wanted, heads, rows, width);
  if (!widths) return blocks(heads, rows);
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => pad(cut(cell, widths[at] ?? 0), widths[at] ?? 0))
      .join(GAP)
      .trimEnd();
  return [line(heads), ...rows.map(line)];
}

/** Returns widths that fit, reducing the widest columns that may be truncated, or undefined if that is not enough. */
function fit(
  wanted: readonly number[],
  heads: readonly string[],
  rows: Table['rows'],
  width: number,
): number[] | undefined {
  const widths = [...wanted];
  const least = heads.map((head, at) =>
    rows.some((row) => isWhole(row[at] ?? ''))
      ? (wanted[at] ?? 0)
      : Math.min(wanted[at] ?? 0, Math.max(MIN_COLUMN_WIDTH, widthOf(head))),
  );
  const total = () => widths.reduce((sum, one) => sum + one, 0) + GAP.length * (widths.length - 1);
  for (let over = total() - width; over > 0; over = total() - width) {
    const candidates = widths.map((one, at) => one - (least[at] ?? 0));
    const most = Math.max(...candidates);
    if (most <= 0) return undefined;
    const at = candidates.indexOf(most);
    widths[at] = (widths[at] ?? 0) - Math.min(most, over);
  }
  return widths;
}

/** A truncated id or time is useless. */
const isWhole = (cell: string) => ID.test(cell) || /^\d{4}-\d{2}-\d{2} /.test(cell);

function blocks(heads: readonly string[], rows: Table['rows']): string[] {
  const widest = Math.max(...heads.map(widthOf));
  return rows.flatMap((row, number) => [
    ...(number > 0 ? [''] : []),
    ...heads.map((head, at) => `${pad(head, widest)}${GAP}${row[at] ?? ''}`),
  ]);
}

const pad = (text: string, width: number) => text + ' '.repeat(Math.max(0, width - widthOf(text)));

function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  const kept: string[] = [];
  let used = 1;
  for (const character of text) {
    used += widthOf(character);
    if (used > width) break;
    kept.push(character);
  }
  return `${kept.join('')}…`;
}

/** Returns the width in terminal columns: East Asian wide characters and emoji take two, combining marks none. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += /\p{Mn}|\p{Me}/u.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
