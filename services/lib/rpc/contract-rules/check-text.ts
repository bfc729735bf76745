import { type FieldRules, TextFormat } from '@supplier/proto/common/v1/options';
import { isUuid } from '../../text/ids/index.ts';
import { isCalendarDate, isCalendarMonth } from '../../text/time/index.ts';
import { nameProblem, reasonProblem } from '../../text/written/index.ts';

/** Describes what is wrong with a text, or returns undefined. Lengths are in Unicode code points. */
export function checkText(text: string, declared: FieldRules): string | undefined {
  if (text.includes('\u0000')) return 'must not contain NUL';
  if (!text.isWellFormed()) return 'must be well-formed Unicode';
  const length = codePoints(text);
  if (length < declared.minLength) {
    return `must have at least ${declared.minLength} character${declared.minLength === 1 ? '' : 's'}`;
  }
  if (declared.maxLength > 0 && length > declared.maxLength) {
    return `must have at most ${declared.maxLength} characters`;
  }
  return checkFormat(text, declared.format);
}

function checkFormat(text: string, format: TextFormat): string | undefined {
  switch (format) {
    case TextFormat.UNSPECIFIED:
      return undefined;
    case TextFormat.DATE:
      return isCalendarDate(text) ? undefined : 'must be a calendar date, YYYY-MM-DD';
    case TextFormat.MONTH:
      return isCalendarMonth(text) ? undefined : 'must be a calendar month, YYYY-MM';
    case TextFormat.UUID:
      return isUuid(text) ? undefined : 'must be a UUID';
    case TextFormat.REASON:
      return reasonProblem(text);
    case TextFormat.NAME:
      return nameProblem(text);
  }
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
