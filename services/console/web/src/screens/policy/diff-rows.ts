import { structuredPatch } from 'diff';
import { formatJson } from '../../format.ts';

/** Long enough to compare two policies of 64 KiB that have something in common. */
const TIMEOUT_MS = 1_000;
const CONTEXT = 3;

export interface DiffLine {
  readonly mark: '+' | '-' | ' ';
  /** Number of the line in the new text, or in the old one for a removed line. */
  readonly line: number;
  readonly text: string;
}

/** A line, or how many unchanged lines are left out in its place. */
export type DiffRow = DiffLine | { readonly skipped: number };

/**
 * Returns the changed lines with those around them, or all lines, or nothing if the texts are the same. Formatting of
 * JSON is ignored. Texts with too little in common are returned as removed and added.
 */
export function diffRows(before: string, after: string, isWhole: boolean): readonly DiffRow[] {
  const [old, present] = [endedLines(before), endedLines(after)];
  const patch = structuredPatch('', '', old, present, undefined, undefined, {
    context: isWhole ? Number.MAX_SAFE_INTEGER : CONTEXT,
    timeout: TIMEOUT_MS,
  });
  const hunks = patch?.hunks ?? [
    { oldStart: 1, newStart: 1, lines: [...marked('-', old), ...marked('+', present)] },
  ];
  const rows: DiffRow[] = [];
  let line = 1;
  const skipTo = (next: number) => {
    if (next > line) rows.push({ skipped: next - line });
    line = next;
  };
  for (const { oldStart, newStart, lines } of hunks) {
    skipTo(newStart);
    let oldLine = oldStart;
    for (const text of lines) {
      const mark = markOf(text);
      rows.push({ mark, line: mark === '-' ? oldLine : line, text: text.slice(1) });
      if (mark !== '+') oldLine += 1;
      if (mark !== '-') line += 1;
    }
  }
  if (rows.length > 0) skipTo(marked(' ', present).length + 1);
  return rows;
}

const endedLines = (text: string): string => (text === '' ? '' : `${formatJson(text)}\n`);

const marked = (mark: DiffLine['mark'], text: string): readonly string[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => `${mark}${line}`);

const markOf = (line: string): DiffLine['mark'] =>
  line.startsWith('+') ? '+' : line.startsWith('-') ? '-' : ' ';
