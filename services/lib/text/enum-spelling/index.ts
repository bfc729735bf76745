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

/** Enums whose public values have hyphens; those of all others have underscores. */
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
 * An enum's value as users write and read it everywhere, which is as the public API spells it: `NOT_BILLABLE` of a billing
 * status is `not_billable`, `2-5-years` has hyphens there, `create:basic` is a scope. Nothing stated is `unspecified`.
 */
export function spellEnumValue({ name, parent }: DescEnumValue): string {
  const words = name.slice(constantPrefixOf(parent).length).toLowerCase();
  if (parent.typeName === ScopeSchema.typeName) return words.replaceAll('_', ':');
  return HYPHENATED.has(parent.typeName) ? words.replaceAll('_', '-') : words;
}

/** What the constants of an enum begin with: `BILLING_STATUS_`. */
export const constantPrefixOf = ({ values }: DescEnum): string =>
  (values[0]?.name ?? '').replace(/UNSPECIFIED$/, '');

/** The value that a user means: as it is spelled, or with other signs between its words, or as the contract's constant. */
export function findEnumValue(schema: DescEnum, text: string): DescEnumValue | undefined {
  const prefix = constantPrefixOf(schema);
  const word = text.toUpperCase().replace(/[-:]/g, '_');
  return schema.values.find(({ name }) => name === word || name === prefix + word);
}

/** Protobuf's JSON of a message with its enums' constants, spelled as users read them. */
export const withSpelledEnums = (schema: DescMessage, json: JsonValue): JsonValue =>
  mapEnums(schema, json, (values, name) => {
    const found = values.values.find((value) => value.name === name);
    return found ? spellEnumValue(found) : name;
  });

/** JSON with enums as users write them, turned into protobuf's with the contract's constants. */
export const withEnumConstants = (schema: DescMessage, json: JsonValue): JsonValue =>
  mapEnums(schema, json, (values, text) => findEnumValue(values, text)?.name ?? text);

type MapText = (values: DescEnum, text: string) => string;

function mapEnums(schema: DescMessage, json: JsonValue, map: MapText): JsonValue {
  // Messages that JSON writes in a form of their own: times are texts.
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
