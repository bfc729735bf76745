import type { Message } from '@bufbuild/protobuf';
import { blanksSeen, visible, wholly } from '@supplier/lib/text/visible';
import { type Approval, ApprovalSchema } from '@supplier/proto/approval/v1/approval';
import { EMPTY } from './format-value.ts';
import { viewLines } from './view.ts';

/** Marks the continuation of the line above. Values can't forge it, because they never start at the left edge. */
const CONTINUATION = '│ ';
/** Width for output to a pipe, whose reader may wrap lines differently. */
const DEFAULT_COLUMNS = 80;
/** A narrower line would have no room for text. */
const MIN_COLUMNS = 8;

/**
 * Returns an approval in full: who requested it, by subject and issuer, and each line of the action, before under `-`
 * and after under `+`, or once if unchanged. Nothing is left out, however narrow the terminal, and no value can imitate
 * a line: text beyond `width` columns continues after a mark, and runs of blanks are made visible.
 */
export function approvalLines(answer: Message, width: number = DEFAULT_COLUMNS): string[] {
  const approval = answer as Approval;
  const { lines, reasons } = approval;
  const about = { ...withSpacesShown(approval), lines: [], reasons: [], argumentsJson: '' };
  const widest = Math.max(0, ...lines.map(({ name }) => name.length));
  return [
    ...viewLines(ApprovalSchema, about, undefined),
    ...reasons.map((reason) => `needs approval because: ${wholly(reason)}`),
    '',
    '- before, + after; other lines do not change',
    ...lines.flatMap((line) =>
      marked(line).map(([mark, value]) => `${mark} ${visible(line.name).padEnd(widest)}  ${wholly(value)}`),
    ),
  ].flatMap((line) => wrapped(line, Math.max(width, MIN_COLUMNS)));
}

function marked({ before, after }: Approval['lines'][number]): (readonly [string, string])[] {
  if (before === after || after === undefined) return [[' ', before || EMPTY]];
  const was = before ? [['-', before] as const] : [];
  return after ? [...was, ['+', after]] : was;
}

const withSpacesShown = (approval: Approval): Approval =>
  Object.fromEntries(
    Object.entries(approval).map(([name, value]) => [
      name,
      typeof value === 'string' ? blanksSeen(value) : value,
    ]),
  ) as unknown as Approval;

/** Wraps a line so that a terminal of that width does not. */
function wrapped(line: string, width: number): string[] {
  const parts: string[] = [];
  let [part, columns] = ['', 0];
  for (const character of line) {
    const wide = columnsOf(character);
    if (columns + wide > width) {
      parts.push(part);
      [part, columns] = [CONTINUATION, columnsOf('│') + 1];
    }
    part += character;
    columns += wide;
  }
  return [...parts, part];
}

/** Returns an upper bound: terminals disagree about wide characters, and wrapping too early does no harm. */
const columnsOf = (character: string) => (character <= '\u007f' ? 1 : 2);
