import { type DescField, type DescMessage, getOption, ScalarType } from '@bufbuild/protobuf';
import { spellEnumValue } from '@supplier/lib/text/enum-spelling';
import { comments } from '@supplier/proto/comments';
import { rules } from '@supplier/proto/common/v1/options';
import type { Declaration } from '../declarations/declaration.ts';

/** One request field as a flag or an argument. */
export interface Flag {
  /** Without dashes. Fields with `positional` are shown as arguments. */
  readonly name: string;
  /** Dotted path with the contract's field names. */
  readonly path: string;
  readonly field: DescField;
  /** Whether it is an argument instead of a flag. */
  readonly positional: boolean;
  readonly required: boolean;
  /** The values of an enum or a boolean, or undefined for free input. */
  readonly choices: readonly string[] | undefined;
  /** The contract's comment, with its bounds. */
  readonly help: string;
}

const MAX_DEPTH = 4;
const TIMESTAMP = 'google.protobuf.Timestamp';

/**
 * Returns the flags of a command's request. Fields of nested messages become flags named by their last path segment.
 * Throws when two flags have the same name, or a type can't be written as text: fix the declaration.
 */
export function flagsOf(declaration: Declaration): readonly Flag[] {
  // A command that replaces a whole object reads it first, so no field is mandatory.
  const isMandatory = declaration.startsFrom === undefined;
  const flags = fieldsOf(declaration.method.input, '', isMandatory, declaration, 1);
  const names = new Set<string>();
  for (const { name, path } of flags) {
    if (names.has(name))
      throw new Error(
        `${declaration.name}: two fields have the flag --${name}: set another name for one of them (${path})`,
      );
    names.add(name);
  }
  for (const path of [
    ...(declaration.positional ?? []),
    ...(declaration.required ?? []),
    ...Object.keys(declaration.flags ?? {}),
  ])
    if (!flags.some((flag) => flag.path === path))
      throw new Error(`${declaration.name}: no field has the path ${path}`);
  return flags;
}

function fieldsOf(
  message: DescMessage,
  prefix: string,
  isMandatory: boolean,
  declaration: Declaration,
  depth: number,
): Flag[] {
  if (depth > MAX_DEPTH) throw new Error(`${declaration.name}: ${prefix} is nested too deeply to be a flag`);
  return message.fields.flatMap((field) => {
    const path = `${prefix}${field.name}`;
    if (declaration.hidden?.includes(path)) return [];
    if (field.fieldKind === 'message' && field.message.typeName !== TIMESTAMP) {
      const isSet = isMandatory && isRequired(field);
      return fieldsOf(field.message, `${path}.`, isSet, declaration, depth + 1);
    }
    return [flagOf(field, path, isMandatory, declaration)];
  });
}

function flagOf(field: DescField, path: string, isMandatory: boolean, declaration: Declaration): Flag {
  const choices = declaration.choices?.[path] ?? choicesOf(field);
  const positional = declaration.positional?.includes(path) ?? false;
  return {
    name: declaration.flags?.[path] ?? kebab(field.name),
    path,
    field,
    positional,
    required:
      ((isMandatory || positional) && isRequired(field)) || (declaration.required?.includes(path) ?? false),
    choices,
    help: [comments[`${field.parent.typeName}.${field.name}`]?.replace(/\.$/, ''), boundsOf(field)]
      .filter(Boolean)
      .join(' '),
  };
}

/** Returns whether the contract's rules reject a request without this field. */
export function isRequired(field: DescField): boolean {
  const { required, minLength, minItems, format } = getOption(field, rules);
  if (required || minItems > 0) return true;
  // A string without presence is empty when it is left out, which a minimum length or a format rejects.
  return field.fieldKind === 'scalar' && !field.proto.proto3Optional && (minLength > 0 || format !== 0);
}

/** Kinds of flag values, for a single value or each item of a list. */
export type ValueKind = 'text' | 'integer' | 'number' | 'boolean' | 'enum' | 'time';

/** Returns the kind of a field. Throws for types that can't be written as text: bytes, maps and lists of messages. */
export function kindOf(field: DescField): ValueKind {
  if (field.fieldKind === 'message' && field.message.typeName === TIMESTAMP) return 'time';
  if (field.fieldKind === 'enum' || (field.fieldKind === 'list' && field.listKind === 'enum')) return 'enum';
  if (field.fieldKind === 'scalar' || (field.fieldKind === 'list' && field.listKind === 'scalar'))
    return scalarKind(field.scalar, field);
  throw new Error(`${field.parent.typeName}.${field.name} cannot be a flag`);
}

function scalarKind(scalar: ScalarType, field: DescField): ValueKind {
  switch (scalar) {
    case ScalarType.STRING:
      return 'text';
    case ScalarType.BOOL:
      return 'boolean';
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return 'number';
    case ScalarType.BYTES:
      throw new Error(`${field.parent.typeName}.${field.name} has bytes, which cannot be a flag`);
    case ScalarType.INT32:
    case ScalarType.INT64:
    case ScalarType.UINT32:
    case ScalarType.UINT64:
    case ScalarType.SINT32:
    case ScalarType.SINT64:
    case ScalarType.FIXED32:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED32:
    case ScalarType.SFIXED64:
      return 'integer';
  }
}

function choicesOf(field: DescField): readonly string[] | undefined {
  const values =
    field.fieldKind === 'enum' || (field.fieldKind === 'list' && field.listKind === 'enum')
      ? field.enum.values
      : undefined;
  return values?.filter(({ number }) => number !== 0).map(spellEnumValue);
}

const kebab = (name: string) => name.replaceAll('_', '-');

function boundsOf(field: DescField): string {
  const { minLength, maxLength, minimum, maximum, maxItems } = getOption(field, rules);
  if (field.fieldKind === 'list') return maxItems > 0 ? `(at most ${maxItems})` : '';
  switch (kindOf(field)) {
    case 'integer':
      return maximum > 0n ? `(${minimum}–${maximum})` : '';
    case 'text':
      return maxLength > 36 ? `(${Math.max(minLength, 0)}–${maxLength} characters)` : '';
    case 'time':
      return '(such as 2026-11-20, 2026-11-20T09:30:00Z, now, -24h, +90d)';
    case 'boolean':
    case 'enum':
    case 'number':
      return '';
  }
}
