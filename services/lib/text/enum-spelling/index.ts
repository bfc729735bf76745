import type {
  DescEnum,
  DescEnumValue,
  DescField,
  DescMessage,
  JsonObject,
  JsonValue,
} from '@bufbuild/protobuf';
import {
  AnnualTurnoverRangeSchema,
  BusinessSectorSchema,
  BusinessStructureSchema,
  FundingPurposeSchema,
  FundingTimeframeSchema,
  PreferredContactMethodSchema,
  TradingDurationSchema,
} from '@supplier/proto/common/v1/enquiry';
import { ScopeSchema } from '@supplier/proto/common/v1/principal';

/** Enums whose public values use hyphens; all others use underscores. */
const HYPHENATED = new Set(
  [
    AnnualTurnoverRangeSchema,
    BusinessSectorSchema,
    BusinessStructureSchema,
    FundingPurposeSchema,
    FundingTimeframeSchema,
    PreferredContactMethodSchema,
    TradingDurationSchema,
  ].map(({ typeName }) => typeName),
);

/**
 * Returns an enum value as the public API spells it: `not_billable`, `2-5-years` with hyphens, scopes as
 * `create:basic`. An unset value is `unspecified`.
 */
export function spellEnumValue({ name, parent }: DescEnumValue): string {
  const words = name.slice(constantPrefixOf(parent).length).toLowerCase();
  if (parent.typeName === ScopeSchema.typeName) return words.replaceAll('_', ':');
  return HYPHENATED.has(parent.typeName) ? words.replaceAll('_', '-') : words;
}

/** Returns the prefix of an enum's constants, such as `BILLING_STATUS_`. */
export const constantPrefixOf = ({ values }: DescEnum): string =>
  (values[0]?.name ?? '').replace(/UNSPECIFIED$/, '');

/** Returns the value that a user means: by its spelling, with other separators, or by the contract's constant. */
export function findEnumValue(schema: DescEnum, text: string): DescEnumValue | undefined {
  const prefix = constantPrefixOf(schema);
  const word = text.toUpperCase().replace(/[-:]/g, '_');
  return schema.values.find(({ name }) => name === word || name === prefix + word);
}

/** Converts protobuf JSON with enum constants to the spelling that users read. */
export const withSpelledEnums = (schema: DescMessage, json: JsonValue): JsonValue =>
  mapEnums(schema, json, (values, name) => {
    const found = values.values.find((value) => value.name === name);
    return found ? spellEnumValue(found) : name;
  });

/** Converts JSON with the spelling that users write to protobuf JSON with enum constants. */
export const withEnumConstants = (schema: DescMessage, json: JsonValue): JsonValue =>
  mapEnums(schema, json, (values, text) => findEnumValue(values, text)?.name ?? text);

type MapText = (values: DescEnum, text: string) => string;

function mapEnums(schema: DescMessage, json: JsonValue, map: MapText): JsonValue {
  // Well-known messages have a special JSON form: timestamps are strings.
  if (!isObject(json) || schema.typeName.startsWith('google.protobuf.')) return json;
  return Object.fromEntries(
    Object.entries(json).map(([key, value]) => {
      const field = schema.fields.find(({ jsonName, name }) => jsonName === key || name === key);
      return [key, field ? mapField(field, value, map) : value];
    }),
  );
}

function mapField(field: DescField, value: JsonValue, map: MapText): JsonValue {
  const one = (item: JsonValue): JsonValue => {
    if (field.enum) return typeof item === 'string' ? map(field.enum, item) : item;
    return field.message ? mapEnums(field.message, item, map) : item;
  };
  if (field.fieldKind === 'list') return Array.isArray(value) ? value.map(one) : value;
  if (field.fieldKind !== 'map') return one(value);
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, one(item)]))
    : value;
}

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
