import {
  type DescField,
  type DescMessage,
  getOption,
  type JsonObject,
  type JsonValue,
  type MessageShape,
  ScalarType,
  toJson,
} from '@bufbuild/protobuf';
import { UpdateAccountRequestSchema } from '@supplier/proto/account/v1/account';
import { ScheduleTermsRequestSchema } from '@supplier/proto/account/v1/scheduled_terms';
import { rules } from '@supplier/proto/common/v1/options';
import { capitalize, enumFlag, enumLabel, quoted } from '../../format.ts';

/** One setting of a supplier, as declared in the contract. */
export interface Setting {
  /** Dotted path with the contract's names: "terms.caps.accepted_per_day". */
  readonly path: string;
  /** "Accepted per day". */
  readonly label: string;
  /** The label of its group: "Caps". */
  readonly group: string;
  readonly field: DescField;
}

/**
 * Settings entered by a person, by path: text, a number, an enum value's number, or several separated by commas. An
 * empty string removes the setting.
 */
export type EnteredSettings = Readonly<Record<string, string>>;

/** Labels that differ from the name in the contract. */
const LABELS: Readonly<Record<string, string>> = {
  account: 'Account',
  terms: 'Decisions and billing',
  thresholds: 'Acceptance thresholds',
  limits: 'Rate limits',
  application_minting: 'Application creation',
  pre_underwriting_failure: 'Failed pre-underwriting',
  minimum_annual_turnover_gbp: 'Minimum annual turnover',
};
const labelOf = (name: string) => LABELS[name] ?? capitalize(name.replaceAll('_', ' '));

/**
 * Returns every setting below some fields of a message. They are read from the contract, so that new ones are included.
 */
export const settingsOf = (schema: DescMessage, names: readonly string[]): Setting[] =>
  schema.fields.filter(({ name }) => names.includes(name)).flatMap((field) => below(field, '', 'account'));

function below(field: DescField, prefix: string, group: string): Setting[] {
  const path = `${prefix}${field.name}`;
  if (field.fieldKind === 'message')
    return field.message.fields.flatMap((inner) => below(inner, `${path}.`, field.name));
  return [{ path, label: labelOf(field.name), group: labelOf(group), field }];
}

/** Returns all settings of an account except its name and state. */
export const ACCOUNT_SETTINGS = settingsOf(UpdateAccountRequestSchema, [
  'permitted_scopes',
  'terms',
  'limits',
]);

/** Settings that can be scheduled. */
export const SCHEDULED_SETTINGS = settingsOf(ScheduleTermsRequestSchema, ['thresholds', 'caps']);

/** Returns a message as JSON with the contract's field names, which settings are read from and requests are built from. */
export const jsonOf = <Schema extends DescMessage>(
  schema: Schema,
  message: MessageShape<Schema>,
): JsonObject => toJson(schema, message, { useProtoFieldName: true }) as JsonObject;

/** Returns the value of a setting in a message's protobuf JSON as text, empty for none. */
export function textOf({ path, field }: Setting, json: JsonObject): string {
  const value = valueAt(json, path.split('.'));
  if (value === undefined || value === null) return '';
  if (field.fieldKind === 'list')
    return inOrder((Array.isArray(value) ? value : []).map((item) => textOfOne(field, item)));
  return textOfOne(field, value);
}

/** Formats the text of a setting for people. */
export function formatSetting({ field }: Setting, text: string): string {
  if (isSwitch(field)) return text === '' ? 'No' : 'Yes';
  if (text === '') return 'None';
  const { enum: schema } = field;
  if (schema)
    return text
      .split(',')
      .map((item) => enumLabel(schema, Number(item)))
      .join(', ');
  if (isText(field)) return text;
  return `${isPounds(field) ? '£' : ''}${Number(text).toLocaleString('en-GB')}`;
}

/** Returns what is set among settings, in a few words: "Accepted per day 50", or "None". */
export function summaryOf(settings: readonly Setting[], text: (setting: Setting) => string): string {
  const set = settings.flatMap((setting) => {
    const value = text(setting);
    if (value === '') return [];
    const { label, field } = setting;
    if (isSwitch(field)) return [label];
    const isSelfExplanatory = isText(field) || (field.enum && isRequired(field));
    return [`${isSelfExplanatory ? '' : `${label} `}${formatSetting(setting, value)}`];
  });
  return set.join(' · ') || 'None';
}

/** A setting with its formatted values before and after a change. */
export interface Difference {
  readonly label: string;
  readonly before: string;
  readonly after: string;
}

/** Returns the settings that differ between two texts of each. */
export const differencesOf = (
  settings: readonly Setting[],
  before: (setting: Setting) => string,
  after: (setting: Setting) => string,
): Difference[] =>
  settings
    .filter((setting) => before(setting) !== after(setting))
    .map((setting) => ({
      label: setting.label,
      before: formatSetting(setting, before(setting)),
      after: formatSetting(setting, after(setting)),
    }));

/** Returns what is wrong with the text of a setting, or undefined. The service validates its meaning. */
export function errorOf({ field }: Setting, text: string): string | undefined {
  if (text.trim() === '') return isRequired(field) ? 'Required.' : undefined;
  if (field.fieldKind !== 'scalar' || isSwitch(field) || isText(field)) return undefined;
  const { minimum } = getOption(field, rules);
  return /^\d{1,9}$/.test(text) && BigInt(text) >= minimum
    ? undefined
    : `Enter a whole number from ${minimum} to 999,999,999.`;
}

/** Returns whether the contract's rules reject a request without this field. */
export function isRequired(field: DescField): boolean {
  const { required, minItems, minLength } = getOption(field, rules);
  return required || minItems > 0 || minLength > 0;
}

/** Returns a copy of a message's protobuf JSON with the settings entered applied. */
export function changed(
  json: JsonObject,
  settings: readonly Setting[],
  entered: EnteredSettings,
): JsonObject {
  const copy = structuredClone(json);
  for (const setting of settings) {
    const text = entered[setting.path];
    if (text !== undefined) setAt(copy, setting.path.split('.'), requestValueOf(setting.field, text));
  }
  return copy;
}

/** Returns the settings entered as flags of `sss`. */
export const flagsFor = (settings: readonly Setting[], entered: EnteredSettings): string =>
  settings
    .flatMap(({ path, field }) => {
      const text = entered[path];
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

/** Returns whether a setting is an amount in pounds. */
export const isPounds = ({ name }: DescField): boolean => /_(?:amount|gbp)$/.test(name);

/** Sorts and joins an enum's numbers with commas, because a selection is a set. */
export const inOrder = (numbers: readonly string[]): string =>
  numbers.toSorted((one, other) => Number(one) - Number(other)).join(',');

function textOfOne({ enum: schema }: DescField, value: JsonValue): string {
  if (!schema) return value === false ? '' : String(value);
  return String(schema.values.find(({ name }) => name === value)?.number ?? 0);
}

function requestValueOf(field: DescField, text: string): JsonValue | undefined {
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
