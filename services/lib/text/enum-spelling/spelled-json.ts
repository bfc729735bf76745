import type {
  DescEnum,
  DescEnumValue,
  DescField,
  DescMessage,
  JsonObject,
  JsonValue,
} from '@bufbuild/protobuf';
import { constantPrefixOf, spellEnumValue } from './spelling.ts';

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
