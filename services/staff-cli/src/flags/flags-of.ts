import { type DescField, type DescMessage, getOption, ScalarType } from '@bufbuild/protobuf';
import { spellEnumValue } from '@supplier/lib/text/enum-spelling';
import { comments } from '@supplier/proto/comments';
import { rules } from '@supplier/proto/common/v1/options';
import type { Declaration } from '../declarations/declaration.ts';

/** One field of a request as a user states it. */
export interface Flag {
  /** Without dashes; `given` ones are shown as arguments. */
  readonly name: string;
  /** The field's path in the contract's names, dotted. */
  readonly path: string;
  readonly field: DescField;
  /** Whether it is stated by its place instead of by its name. */
  readonly given: boolean;
  /** Whether the request cannot do without it. */
  readonly required: boolean;
  /** The values of an enum or of a boolean; undefined where anything may fit. */
  readonly choices: readonly string[] | undefined;
  /** The contract's comment, with its bounds. */
  readonly help: string;
}

const MAX_DEPTH = 4;
const TIMESTAMP = 'google.protobuf.Timestamp';

/**
 * The flags of a command's request. Fields of messages inside it are flags of their own, named by their last word.
 * Throws where two would have one name, or a type has no spelling: the declaration has to say more.
 */
export function flagsOf(declaration: Declaration): readonly Flag[] {
  // What replaces a whole object has been read before: nothing of it has to be stated.
  const isMandatory = declaration.startsFrom === undefined;
  const flags = fieldsOf(declaration.method.input, '', isMandatory, declaration, 1);
  const names = new Set<string>();
  for (const { name, path } of flags) {
    if (names.has(name))
      throw new Error(`${declaration.name}: two flags are --${name}: name one of them (${path})`);
    names.add(name);
  }
  for (const path of [
    ...(declaration.given ?? []),
    ...(declaration.required ?? []),
    ...Object.keys(declaration.flags ?? {}),
  ])
    if (!flags.some((flag) => flag.path === path))
      throw new Error(`${declaration.name}: no field is ${path}`);
  return flags;
}

function fieldsOf(
  message: DescMessage,
  prefix: string,
  isMandatory: boolean,
  declaration: Declaration,
  depth: number,
): Flag[] {
  if (depth > MAX_DEPTH) throw new Error(`${declaration.name}: ${prefix} lies too deep to be a flag`);
  return message.fields.flatMap((field) => {
    const path = `${prefix}${field.name}`;
    if (declaration.hidden?.includes(path)) return [];
    if (field.fieldKind === 'message' && field.message.typeName !== TIMESTAMP) {
      const isThere = isMandatory && isRequired(field);
      return fieldsOf(field.message, `${path}.`, isThere, declaration, depth + 1);
    }
    return [flagOf(field, path, isMandatory, declaration)];
  });
}

function flagOf(field: DescField, path: string, isMandatory: boolean, declaration: Declaration): Flag {
  const choices = declaration.choices?.[path] ?? choicesOf(field);
  const given = declaration.given?.includes(path) ?? false;
  return {
    name: declaration.flags?.[path] ?? kebab(field.name),
    path,
    field,
    given,
    required:
      ((isMandatory || given) && isRequired(field)) || (declaration.required?.includes(path) ?? false),
    choices,
    help: [comments[`${field.parent.typeName}.${field.name}`], boundsOf(field)].filter(Boolean).join(' '),
  };
}

/** Whether a request without the field is refused, as far as the contract's rules say so. */
export function isRequired(field: DescField): boolean {
  const { required, minLength, minItems, format } = getOption(field, rules);
  if (required || minItems > 0) return true;
  // A text without presence is empty when it is left out, which a lower bound or a format refuses.
  return field.fieldKind === 'scalar' && !field.proto.proto3Optional && (minLength > 0 || format !== 0);
}

/** Kinds of what a flag can hold, of a single value or of each item of a list. */
export type ValueKind = 'text' | 'integer' | 'number' | 'boolean' | 'enum' | 'time';

/** What a field holds. Throws for what no flag can spell: bytes, maps, lists of messages. */
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
      throw new Error(`${field.parent.typeName}.${field.name} holds bytes, which no flag can spell`);
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
