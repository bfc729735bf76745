import type { Message } from '@bufbuild/protobuf';
import { blanksSeen, visible, wholly } from '@supplier/lib/text/visible';
import { type Approval, ApprovalSchema } from '@supplier/proto/approval/v1/approval';
import { NOTHING } from './spell-value.ts';
import { viewLines } from './view.ts';

/** Marks the continuation of the line above. Values can't forge it, because they never start at the left edge. */
const GOES_ON = '│ ';
/** Width for output to a pipe, whose reader may wrap lines differently. */
const USUAL_COLUMNS = 80;
/** A narrower line would have no room for text. */
const LEAST_COLUMNS = 8;

/**
 * Returns an approval in full: who requested it, by subject and issuer, and each line of the action, before under `-`
 * and after under `+`, or once if unchanged. Nothing is left out, however narrow the terminal, and no value can imitate
 * a line: text beyond `width` columns continues after a mark, and runs of blanks are made visible.
 */
export function approvalLines(answer: Message, width: number = USUAL_COLUMNS): string[] {
  const approval = answer as Approval;
  const { lines, reasons, argumentsJson } = approval;
  const about = { ...withBlanksSeen(approval), lines: [], reasons: [], argumentsJson: '' };
  const widest = Math.max(0, ...lines.map(({ name }) => name.length));
  return [
    ...viewLines(ApprovalSchema, about, undefined),
    ...reasons.map((reason) => `takes two people: ${wholly(reason)}`),
    '',
    ...(lines.length > 0
      ? ['- as it is, + as it is to be, the rest stays']
      : [`an earlier release was asked for it: ${wholly(argumentsJson)}`]),
    ...lines.flatMap((line) =>
      marked(line).map(([mark, value]) => `${mark} ${visible(line.name).padEnd(widest)}  ${wholly(value)}`),
    ),
  ].flatMap((line) => wrapped(line, Math.max(width, LEAST_COLUMNS)));
}

function marked({ before, after }: Approval['lines'][number]): (readonly [string, string])[] {
  if (before === after || after === undefined) return [[' ', before || NOTHING]];
  const was = before ? [['-', before] as const] : [];
  return after ? [...was, ['+', after]] : was;
}

const withBlanksSeen = (approval: Approval): Approval =>
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
      [part, columns] = [GOES_ON, columnsOf('│') + 1];
    }
    part += character;
    columns += wide;
  }
  return [...parts, part];
}

/** Returns an upper bound: terminals disagree about wide characters, and wrapping too early does no harm. */
const columnsOf = (character: string) => (character <= '\u007f' ? 1 : 2);
