import { type DescField, getOption, type JsonValue, ScalarType } from '@bufbuild/protobuf';
import { findEnumValue, spellEnumValue } from '@supplier/lib/text/enum-spelling';
import { rules, TextFormat } from '@supplier/proto/common/v1/options';
import { InvalidArgumentError } from 'commander';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { type Flag, kindOf } from './flags-of.ts';

/** The value that removes a field. It works only for fields that can be unset. */
export const NONE = 'none';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** What comes along when an id is copied from a table, a message or a program. */
const AROUND_ID =
  /^[\s\p{Default_Ignorable_Code_Point}\p{Quotation_Mark}`]+|[\s\p{Default_Ignorable_Code_Point}\p{Quotation_Mark}`,;]+$/gu;
const SPAN = /^([+-])(\d{1,6})(s|m|h|d|w)$/;
const SPAN_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** Thrown with half a sentence about an invalid value: `must be from 0 to 200`. */
export class WrongValue extends Error {}

/**
 * Parses a value into protobuf's JSON. Null removes the field. `now` is the base of relative times such as `-24h`.
 * Throws WrongValue.
 */
export function parseValue(flag: Flag, text: string, now: Date): JsonValue {
  const { field } = flag;
  if (text === NONE && canBeNone(field)) return null;
  switch (kindOf(field)) {
    case 'text':
      return parseText(field, text);
    case 'integer':
      return parseInteger(field, text);
    case 'number':
      return parseNumber(text);
    case 'boolean':
      return parseBoolean(text);
    case 'enum':
      return parseEnum(flag, text);
    case 'time':
      return parseTime(text, now);
  }
}

/** Splits the items of a repeated field, which may be separated by commas. */
export const splitItems = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/**
 * Returns whether a field can be removed: messages and `optional` fields, but not strings, where "none" is a valid
 * value.
 */
const canBeNone = (field: DescField) =>
  field.fieldKind === 'message' ||
  (field.fieldKind === 'scalar' && field.proto.proto3Optional && field.scalar !== ScalarType.STRING);

function parseText(field: DescField, text: string): string {
  const { minLength, maxLength, format } = getOption(field, rules);
  if (format === TextFormat.UUID) return idOf(text);
  const length = [...text].length;
  if (length < minLength || (maxLength > 0 && length > maxLength))
    throw new WrongValue(`must have ${minLength} to ${maxLength} characters, not ${length}`);
  if (format === TextFormat.MONTH && !/^\d{4}-(?:0[1-9]|1[0-2])$/.test(text))
    throw new WrongValue('must be a month such as 2026-11');
  if (format === TextFormat.DATE && !isDay(text)) throw new WrongValue('must be a day such as 2026-11-20');
  return text;
}

/** Returns an id without the blanks, quotes and line ends around it that come from pasting. */
export const bareId = (text: string): string => text.replace(AROUND_ID, '');

export const isId = (text: string): boolean => UUID.test(bareId(text));

function idOf(text: string): string {
  const id = bareId(text);
  if (!UUID.test(id)) throw new WrongValue(`must be a UUID, not "${text}"`);
  return id;
}

function parseInteger(field: DescField, text: string): string {
  if (!/^-?\d{1,19}$/.test(text)) throw new WrongValue(`must be a whole number, not "${text}"`);
  const value = BigInt(text);
  const { minimum, maximum } = getOption(field, rules);
  const bounded = minimum !== 0n || maximum !== 0n;
  if (bounded && (value < minimum || value > maximum))
    throw new WrongValue(`must be from ${minimum} to ${maximum}`);
  return value.toString();
}

function parseNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new WrongValue(`must be a number, not "${text}"`);
  return value;
}

function parseBoolean(text: string): boolean {
  if (text === 'true' || text === 'yes') return true;
  if (text === 'false' || text === 'no') return false;
  throw new WrongValue(`must be yes or no, not "${text}"`);
}

function parseEnum({ field, choices = [] }: Flag, text: string): string {
  // Accept the imperative that people type: --decision accept.
  const known = choices.includes(`${text}ed`) ? `${text}ed` : text;
  const found = field.enum && findEnumValue(field.enum, known);
  if (!found || !choices.includes(spellEnumValue(found)))
    throw new WrongValue(`must be one of ${choices.join(', ')}, not "${text}"`);
  return found.name;
}

function parseTime(text: string, now: Date): string {
  if (text === 'now') return now.toISOString();
  const span = SPAN.exec(text);
  if (span) {
    const [, sign, count, unit] = span;
    const ms = Number(count) * SPAN_MS[unit as keyof typeof SPAN_MS];
    return new Date(now.getTime() + (sign === '-' ? -ms : ms)).toISOString();
  }
  if (DAY.test(text) && isDay(text)) return `${text}T00:00:00Z`;
  if (MOMENT.test(text) && isDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text)))
    return new Date(text).toISOString();
  throw new WrongValue(
    `must be a day (2026-11-20), a time with a zone (2026-11-20T09:30:00Z), now, or a span (-24h, +90d), not "${text}"`,
  );
}

/** Returns whether a day exists in the calendar: 2026-02-30 does not. */
function isDay(text: string): boolean {
  if (!DAY.test(text)) return false;
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}

/** Returns the id given as an argument or flag of a command that is not one RPC. Throws CommandFailure. */
export function idArgument(label: string, text: string): string {
  try {
    return idOf(text);
  } catch (error) {
    if (!(error instanceof WrongValue)) throw error;
    throw new CommandFailure(exitCodes.usage, `${label} ${error.message}`);
  }
}

const MAX_SECONDS = 900;

/** Parses a whole number of seconds from 1 to 900. */
export function seconds(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > MAX_SECONDS)
    throw new InvalidArgumentError(`It must be from 1 to ${MAX_SECONDS} seconds.`);
  return value;
}
