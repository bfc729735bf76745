import type { Message } from '@bufbuild/protobuf';
import { blanksSeen, visible, wholly } from '@supplier/lib/text/visible';
import { type Approval, ApprovalSchema } from '@supplier/proto/approval/v1/approval';
import { NOTHING } from './spell-value.ts';
import { viewLines } from './view.ts';

/** Begins a line that goes on with what is above it. No text gets there by itself: it never stands at the left edge. */
const GOES_ON = '│ ';
/** Of what is read in a pipe, whose reader cuts lines as it likes. */
const USUAL_COLUMNS = 80;
/** Narrower, a line would have no room for what it says. */
const LEAST_COLUMNS = 8;

/**
 * The whole of what waits for approval: who asked, by subject and issuer, and each line of the act, as it is under `-` and as
 * it is to be under `+`, or once where it stays. Nothing is left out, however narrow the terminal, and no value looks like a
 * line: what is longer than `width` columns goes on behind a mark, and runs of blanks are seen.
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

/** Cuts a line so that no terminal of that many columns does. */
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

/** At most so many: terminals disagree about what is wide, and a line that is cut too early does no harm. */
const columnsOf = (character: string) => (character <= '\u007f' ? 1 : 2);
