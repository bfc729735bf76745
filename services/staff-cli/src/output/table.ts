import { visible } from '@supplier/lib/text/visible';
import { labelOf } from './spell-value.ts';

/** A table as text. */
export interface Table {
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const GAP = '  ';
/** No column of text gets narrower than this: below it, each row becomes a block of its own. */
const NARROWEST = 12;
const ID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

/**
 * The lines of a table that fits `width` columns: long texts are cut, with an ellipsis; ids and times never are. What
 * cannot fit is shown as one block for each row. Without a width nothing is cut.
 */
export function tableLines({ heads: names, rows: cells }: Table, width: number | undefined): string[] {
  const heads = names.map((name) => labelOf(name.toLowerCase()).toUpperCase());
  // What is written as an escape takes more room than it did.
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

/** Widths that fit, taken from the widest columns that may be cut; undefined when there are none. */
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
      : Math.min(wanted[at] ?? 0, Math.max(NARROWEST, widthOf(head))),
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

/** Half an id or half a time is of no use to anybody. */
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

/** Columns of a terminal: the wide scripts of East Asia and emoji take two, marks upon letters none. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += /\p{Mn}|\p{Me}/u.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
