import {
  type DescField,
  type DescMessage,
  getOption,
  type JsonObject,
  type JsonValue,
  ScalarType,
} from '@bufbuild/protobuf';
import { rules } from '@supplier/proto/common/v1/options';
import { quoted } from '../actions/confirm-dialog.tsx';
import { enumFlag } from '../format.ts';

/** One setting of a supplier, as declared in the contract. */
export interface Setting {
  /** Dotted path with the contract's names: "terms.caps.accepted_per_day". */
  readonly path: string;
  /** "accepted per day". */
  readonly name: string;
  /** The parent message: "caps". */
  readonly group: string;
  readonly field: DescField;
}

/**
 * Settings entered by a person, by path: text, a number, an enum value's number, or several separated by commas. An
 * empty string removes the setting.
 */
export type StatedSettings = Readonly<Record<string, string>>;

/**
 * Returns every setting below some fields of a message. They are read from the contract, so that new ones are included.
 */
export const settingsOf = (schema: DescMessage, names: readonly string[]): Setting[] =>
  schema.fields.filter(({ name }) => names.includes(name)).flatMap((field) => below(field, '', 'account'));

function below(field: DescField, prefix: string, group: string): Setting[] {
  const path = `${prefix}${field.name}`;
  const name = field.name.replaceAll('_', ' ');
  if (field.fieldKind === 'message')
    return field.message.fields.flatMap((inner) => below(inner, `${path}.`, name));
  return [{ path, name, group, field }];
}

/** Returns the value of a setting in a message's protobuf JSON as text, empty for none. */
export function textOf({ path, field }: Setting, json: JsonObject): string {
  const value = valueAt(json, path.split('.'));
  if (value === undefined || value === null) return '';
  if (field.fieldKind === 'list')
    return inOrder((Array.isArray(value) ? value : []).map((item) => textOfOne(field, item)));
  return textOfOne(field, value);
}

/** Formats the text of a setting for people. */
export function wordsOf({ field }: Setting, text: string): string {
  if (isSwitch(field)) return text === '' ? 'no' : 'yes';
  if (text === '') return field.fieldKind === 'enum' ? 'any' : 'none';
  const { enum: schema } = field;
  if (schema)
    return text
      .split(',')
      .map((item) => enumFlag(schema, Number(item)))
      .join(', ');
  return isText(field) ? text : Number(text).toLocaleString('en-GB');
}

/** Returns whether a text has the right form for a setting. The service validates its meaning. */
export function fits({ field }: Setting, text: string): boolean {
  if (text.trim() === '') return !isRequired(field);
  if (field.fieldKind !== 'scalar' || isSwitch(field) || isText(field)) return true;
  const { minimum } = getOption(field, rules);
  return /^\d{1,9}$/.test(text) && BigInt(text) >= minimum;
}

/** Returns whether the contract's rules reject a request without this field. */
export function isRequired(field: DescField): boolean {
  const { required, minItems, minLength } = getOption(field, rules);
  return required || minItems > 0 || minLength > 0;
}

/** Returns a copy of a message's protobuf JSON with the settings entered applied. */
export function changed(json: JsonObject, settings: readonly Setting[], stated: StatedSettings): JsonObject {
  const copy = structuredClone(json);
  for (const setting of settings) {
    const text = stated[setting.path];
    if (text !== undefined) setAt(copy, setting.path.split('.'), jsonOf(setting.field, text));
  }
  return copy;
}

/** Returns the settings entered as flags of `sss`. */
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
      const words = schema && text.split(',').map((item) => enumFlag(schema, Number(item)));
      return [`--${flag} ${text === '' ? 'none' : (words?.join(',') ?? text)}`];
    })
    .join(' ');

/** Returns whether a setting is a boolean. */
export const isSwitch = (field: DescField): boolean =>
  field.fieldKind === 'scalar' && field.scalar === ScalarType.BOOL;

/** Returns whether a setting is text. */
export const isText = (field: DescField): boolean =>
  field.fieldKind === 'scalar' && field.scalar === ScalarType.STRING;

/** Sorts and joins an enum's numbers with commas, because a selection is a set. */
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
    // Don't create a message only to leave out one of its fields.
    if (Object.keys(inner).length > 0 || isObject(inside)) json[name] = inner;
  } else if (value === undefined) delete json[name];
  else json[name] = value;
}

const isObject = (json: JsonValue | undefined): json is JsonObject =>
  typeof json === 'object' && json !== null && !Array.isArray(json);
