import { type DescEnum, type DescField, type DescMessage, getOption, hasOption } from '@bufbuild/protobuf';
import { type FieldRules, rules } from '@supplier/proto/common/v1/options';
import { checkText } from './check-text.ts';

/** Describes what is wrong with a value, or returns undefined. */
type Problem = (value: unknown) => string | undefined;

export interface FieldCheck {
  readonly name: string;
  /** Reads the field's value from a message; undefined if it is absent or another member of its oneof is set. */
  readonly valueIn: (message: object) => unknown;
  readonly problem: Problem;
  /** Checks for the field's content, if any: a nested message, or the items of a list. */
  readonly nested: { readonly schema?: DescMessage; readonly itemProblem?: Problem } | undefined;
}

const NOTHING: Problem = () => undefined;
const UNKNOWN_VALUE = 'is not a known value';

/** Returns the checks of a message type, omitting fields that accept every value. */
export function fieldChecksOf(schema: DescMessage): FieldCheck[] {
  return schema.fields
    .map((field) => {
      const declared = hasOption(field, rules) ? getOption(field, rules) : undefined;
      const problem = problemOf(field, declared);
      return { name: field.name, valueIn: readerOf(field), problem, nested: nestedOf(field) };
    })
    .filter(({ problem, nested }) => problem !== NOTHING || nested !== undefined);
}

/** A oneof member is stored under the name of its oneof. */
function readerOf({ localName, oneof }: DescField): FieldCheck['valueIn'] {
  if (!oneof) return (message) => (message as Record<string, unknown>)[localName];
  return (message) => {
    const set = (message as Record<string, { case?: string; value?: unknown }>)[oneof.localName];
    return set?.case === localName ? set.value : undefined;
  };
}

function problemOf(field: DescField, declared: FieldRules | undefined): Problem {
  switch (field.fieldKind) {
    case 'enum':
      return enumProblem(field.enum, declared?.required ?? false);
    case 'scalar':
      return declared ? (value) => scalarProblem(value, declared) : NOTHING;
    case 'list':
      return declared ? (value) => sizeProblem((value as unknown[]).length, declared, 'item') : NOTHING;
    case 'message':
      return declared?.required ? (value) => (value === undefined ? 'is required' : undefined) : NOTHING;
    case 'map':
      return NOTHING;
  }
}

function enumProblem(known: DescEnum, required: boolean): Problem {
  return (value) => {
    if (required && value === 0) return 'is required';
    return value === undefined || known.value[value as number] !== undefined ? undefined : UNKNOWN_VALUE;
  };
}

/** An absent field with presence tracking needs no further checks. */
function scalarProblem(value: unknown, declared: FieldRules): string | undefined {
  if (value === undefined) return declared.required ? 'is required' : undefined;
  if (typeof value === 'string') return checkText(value, declared);
  if (typeof value === 'boolean') return declared.mustBeTrue && !value ? 'must be true' : undefined;
  if (value instanceof Uint8Array) return sizeProblem(value.byteLength, declared, 'byte');
  if (typeof value !== 'number' && typeof value !== 'bigint') return undefined;
  const { minimum, maximum } = declared;
  if (minimum === 0n && maximum === 0n) return undefined;
  return value < minimum || value > maximum ? `must be between ${minimum} and ${maximum}` : undefined;
}

function sizeProblem(size: number, { minItems, maxItems }: FieldRules, unit: string): string | undefined {
  if (size < minItems) return `must have at least ${minItems} ${unit}${minItems === 1 ? '' : 's'}`;
  if (maxItems > 0 && size > maxItems) {
    return `must have at most ${maxItems} ${unit}${maxItems === 1 ? '' : 's'}`;
  }
  return undefined;
}

function nestedOf(field: DescField): FieldCheck['nested'] {
  if (field.fieldKind === 'message') return ours(field.message) ? { schema: field.message } : undefined;
  if (field.fieldKind !== 'list') return undefined;
  if (field.listKind === 'message') return ours(field.message) ? { schema: field.message } : undefined;
  if (field.listKind !== 'enum') return undefined;
  const known = field.enum;
  return {
    itemProblem: (item) =>
      item === 0 || known.value[item as number] === undefined ? UNKNOWN_VALUE : undefined,
  };
}

/** Timestamps and other well-known types have their own rules. */
function ours(schema: DescMessage): boolean {
  return !schema.file.proto.package.startsWith('google.');
}
