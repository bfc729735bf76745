import {
  type DescField,
  type DescMessage,
  getOption,
  type JsonObject,
  type JsonValue,
  ScalarType,
} from '@bufbuild/protobuf';
import { rules } from '@supplier/proto/common/v1/options';
import { quoted } from '../acts/act.tsx';
import { flagOf } from '../words.ts';

/** One of the values that a supplier is held to, as the contract has it. */
export interface Setting {
  /** Dotted, in the contract's names: "terms.caps.accepted_per_day". */
  readonly path: string;
  /** "accepted per day". */
  readonly name: string;
  /** What it belongs to: "caps". */
  readonly group: string;
  readonly field: DescField;
}

/** What somebody states of settings, by path: a text, a number, that of an enum's value, several with commas; nothing removes it. */
export type StatedSettings = Readonly<Record<string, string>>;

/** Every setting below some fields of a message, found by the contract, so that none of a later one is left out. */
export const settingsOf = (schema: DescMessage, names: readonly string[]): Setting[] =>
  schema.fields.filter(({ name }) => names.includes(name)).flatMap((field) => below(field, '', 'account'));

function below(field: DescField, prefix: string, group: string): Setting[] {
  const path = `${prefix}${field.name}`;
  const name = field.name.replaceAll('_', ' ');
  if (field.fieldKind === 'message')
    return field.message.fields.flatMap((inner) => below(inner, `${path}.`, name));
  return [{ path, name, group, field }];
}

/** A setting of a message in protobuf's JSON, as it is stated; empty for nothing. */
export function textOf({ path, field }: Setting, json: JsonObject): string {
  const value = valueAt(json, path.split('.'));
  if (value === undefined || value === null) return '';
  if (field.fieldKind === 'list')
    return inOrder((Array.isArray(value) ? value : []).map((item) => textOfOne(field, item)));
  return textOfOne(field, value);
}

/** The same as people read it. */
export function wordsOf({ field }: Setting, text: string): string {
  if (isSwitch(field)) return text === '' ? 'no' : 'yes';
  if (text === '') return field.fieldKind === 'enum' ? 'any' : 'none';
  const { enum: schema } = field;
  if (schema)
    return text
      .split(',')
      .map((item) => flagOf(schema, Number(item)))
      .join(', ');
  return isText(field) ? text : Number(text).toLocaleString('en-GB');
}

/** Whether a text fits a setting; the service judges what it means. */
export function fits({ field }: Setting, text: string): boolean {
  if (text.trim() === '') return !isRequired(field);
  if (field.fieldKind !== 'scalar' || isSwitch(field) || isText(field)) return true;
  const { minimum } = getOption(field, rules);
  return /^\d{1,9}$/.test(text) && BigInt(text) >= minimum;
}

/** Whether a request that states nothing there is refused, as far as the contract's rules say so. */
export function isRequired(field: DescField): boolean {
  const { required, minItems, minLength } = getOption(field, rules);
  return required || minItems > 0 || minLength > 0;
}

/** A message in protobuf's JSON with what is stated in place of what was there; all else is as it was. */
export function changed(json: JsonObject, settings: readonly Setting[], stated: StatedSettings): JsonObject {
  const copy = structuredClone(json);
  for (const setting of settings) {
    const text = stated[setting.path];
    if (text !== undefined) setAt(copy, setting.path.split('.'), jsonOf(setting.field, text));
  }
  return copy;
}

/** What is stated, as flags of `sss`. */
export const flagsFor = (settings: readonly Setting[], stated: StatedSettings): string =>
  settings
    .flatMap(({ path, field }) => {
      const text = stated[path];
      if (text === undefined) return [];
      const flag = field.name.replaceAll('_', '-');
      if (isSwitch(field)) return [text === '' ? `--no-${flag}` : `--${flag}`];
      if (isText(field)) return [`--${flag} ${quoted(text.trim())}`];
      if (field.fieldKind === 'list' && text === '') return [`--${flag} ''`];
      const { enum: schema } = field;
      const words = schema && text.split(',').map((item) => flagOf(schema, Number(item)));
      return [`--${flag} ${text === '' ? 'none' : (words?.join(',') ?? text)}`];
    })
    .join(' ');

/** Whether a setting is a yes or a no. */
export const isSwitch = (field: DescField): boolean =>
  field.fieldKind === 'scalar' && field.scalar === ScalarType.BOOL;

/** Whether it is words. */
export const isText = (field: DescField): boolean =>
  field.fieldKind === 'scalar' && field.scalar === ScalarType.STRING;

/** Several of an enum's numbers, with commas: what is chosen is a set. */
export const inOrder = (numbers: readonly string[]): string =>
  numbers.toSorted((one, other) => Number(one) - Number(other)).join(',');

function textOfOne({ enum: schema }: DescField, value: JsonValue): string {
  if (!schema) return value === false ? '' : String(value);
  return String(schema.values.find(({ name }) => name === value)?.number ?? 0);
}

function jsonOf(field: DescField, text: string): JsonValue | undefined {
  if (field.fieldKind === 'list') return text === '' ? undefined : text.split(',').map(Number);
  if (text === '') return undefined;
  if (isText(field)) return text.trim();
  return isSwitch(field) ? true : Number(text);
}

function valueAt(json: JsonValue | undefined, [name, ...rest]: readonly string[]): JsonValue | undefined {
  if (name === undefined) return json;
  return isObject(json) ? valueAt(json[name], rest) : undefined;
}

function setAt(
  json: JsonObject,
  [name = '', ...rest]: readonly string[],
  value: JsonValue | undefined,
): void {
  const inside = json[name];
  if (rest.length > 0) {
    const inner = isObject(inside) ? inside : {};
    setAt(inner, rest, value);
    // A message that is there only to be without something need not be there.
    if (Object.keys(inner).length > 0 || isObject(inside)) json[name] = inner;
  } else if (value === undefined) delete json[name];
  else json[name] = value;
}

const isObject = (json: JsonValue | undefined): json is JsonObject =>
  typeof json === 'object' && json !== null && !Array.isArray(json);
