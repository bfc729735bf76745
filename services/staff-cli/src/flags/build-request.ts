import {
  type DescMessage,
  fromJson,
  isFieldSet,
  type JsonObject,
  type JsonValue,
  type Message,
  toJson,
} from '@bufbuild/protobuf';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import type { Flag } from './flags-of.ts';
import { parseValue, splitItems, WrongValue } from './parse-value.ts';

/** The values given for one field. */
export interface FlagInput {
  readonly flag: Flag;
  readonly values: readonly string[];
}

const JSON_OPTIONS = { useProtoFieldName: true } as const;

/**
 * Builds a request from flags, starting from the JSON of a file or an earlier read. Throws CommandFailure that lists
 * every invalid value, or every missing flag, by the names the user knows.
 */
export function buildRequest(
  schema: DescMessage,
  flags: readonly Flag[],
  inputs: readonly FlagInput[],
  base: JsonObject,
  now: Date,
): Message {
  const request = structuredClone(base);
  const faults: string[] = [];
  for (const one of inputs)
    try {
      setAt(request, one.flag.path.split('.'), toJsonValue(one, now));
    } catch (error) {
      if (!(error instanceof WrongValue)) throw error;
      faults.push(`${labelOf(one.flag)} ${error.message}`);
    }
  const missing = flags.filter(
    ({ required, path }) => required && valueAt(request, path.split('.')) === undefined,
  );
  if (missing.length > 0 && faults.length === 0)
    faults.push(...missing.map((flag) => `${labelOf(flag)} is missing${choicesHint(flag)}`));
  if (faults.length > 0)
    throw new CommandFailure(exitCodes.usage, faults[0] ?? '', [
      ...faults.slice(1),
      'see --help for valid values',
    ]);
  try {
    return fromJson(schema, request);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(exitCodes.usage, `invalid request: ${reason}`);
  }
}

/** Returns the user's name for a field: `--page-size`, or `ACCOUNT_ID` for an argument. */
export const labelOf = ({ positional, name }: Flag): string =>
  positional ? name.toUpperCase().replaceAll('-', '_') : `--${name}`;

const choicesHint = ({ choices }: Flag) => (choices ? `: ${choices.join(', ')}` : '');

function toJsonValue({ flag, values }: FlagInput, now: Date): JsonValue {
  if (flag.field.fieldKind === 'list')
    return values.flatMap(splitItems).map((item) => parseValue(flag, item, now));
  return parseValue(flag, values.at(-1) ?? '', now);
}

/** Returns the fields of an earlier answer that the request shares with it, as JSON. */
export function sharedFields(schema: DescMessage, answerSchema: DescMessage, answer: Message): JsonObject {
  const existing = new Set(
    answerSchema.fields.filter((field) => isFieldSet(answer, field)).map(({ name }) => name),
  );
  const shared = new Set(schema.fields.map(({ name }) => name));
  const all = toJson(answerSchema, answer, JSON_OPTIONS) as JsonObject;
  return Object.fromEntries(Object.entries(all).filter(([name]) => shared.has(name) && existing.has(name)));
}

function setAt(object: JsonObject, [name = '', ...rest]: readonly string[], value: JsonValue): void {
  if (rest.length === 0) {
    if (value === null) delete object[name];
    else object[name] = value;
    return;
  }
  const inside = object[name];
  const inner: JsonObject = isObject(inside) ? inside : {};
  setAt(inner, rest, value);
  // Don't create a message only to leave out one of its fields.
  if (Object.keys(inner).length > 0 || isObject(inside)) object[name] = inner;
}

function valueAt(object: JsonObject, [name = '', ...rest]: readonly string[]): JsonValue | undefined {
  const value = object[name];
  if (rest.length === 0) return value;
  return isObject(value) ? valueAt(value, rest) : undefined;
}

export const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
