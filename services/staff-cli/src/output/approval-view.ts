import type { Message } from '@bufbuild/protobuf';
import { type Approval, ApprovalSchema } from '@supplier/proto/approval/v1/approval';
import { NOTHING } from './spell-value.ts';
import { viewLines } from './view.ts';
import { visible } from './visible.ts';

/**
 * The whole of what waits for approval: who asked, by subject and issuer, and each line of the act, as it is under `-` and as
 * it is to be under `+`, or once where it stays. Nothing is cut, however narrow the terminal, and no value looks like a line.
 */
export function approvalLines(answer: Message): string[] {
  const approval = answer as Approval;
  const { lines, reasons, argumentsJson } = approval;
  const about = { ...approval, lines: [], reasons: [], argumentsJson: '' };
  const widest = Math.max(0, ...lines.map(({ name }) => name.length));
  return [
    ...viewLines(ApprovalSchema, about, undefined),
    ...reasons.map((reason) => `takes two people: ${visible(reason)}`),
    '',
    ...(lines.length > 0
      ? ['- as it is, + as it is to be, the rest stays']
      : [`an earlier release was asked for it: ${visible(argumentsJson)}`]),
    ...lines.flatMap((line) =>
      marked(line).map(([mark, value]) => `${mark} ${visible(line.name).padEnd(widest)}  ${visible(value)}`),
    ),
  ];
}

function marked({ before, after }: Approval['lines'][number]): (readonly [string, string])[] {
  if (before === after || after === undefined) return [[' ', before || NOTHING]];
  const was = before ? [['-', before] as const] : [];
  return after ? [...was, ['+', after]] : was;
}
