import {
  create,
  type DescField,
  type DescMessage,
  isFieldSet,
  type Message,
  ScalarType,
} from '@bufbuild/protobuf';
import { type Enquiry, EnquirySchema } from '@supplier/proto/common/v1/enquiry';
import { type Terms, TermsSchema } from '@supplier/proto/common/v1/principal';
import type { Expr, Names } from './check-condition.ts';
import { eachKnownOnce } from './seen-by-conditions.ts';

/** The input of the rules of a policy. */
export interface PolicyInput {
  readonly enquiry: Enquiry;
  readonly terms: Terms;
  readonly facts: Readonly<Record<string, boolean | bigint>>;
}

type Kind<Case extends string> = Extract<Expr['exprKind'], { case: Case }>['value'];
type Plain = boolean | number | bigint | string;
type Fields = Readonly<Record<string, unknown>>;

/** A part of a condition, by what it gives. */
type Part =
  | { readonly gives: 'plain'; readonly of: (input: PolicyInput) => Plain }
  | { readonly gives: 'list'; readonly of: (input: PolicyInput) => readonly Plain[] }
  | {
      readonly gives: 'message';
      readonly schema: DescMessage;
      /** Undefined when it is not stated: its fields then have the values of an empty one. */
      readonly of: (input: PolicyInput) => Message | undefined;
    };

/**
 * A condition that `checkCondition` has passed as a function of the input, if all its parts are fields, facts, constants,
 * enum values, `has`, comparisons, `in`, `&&`, `||`, `!` or `? :` of whole numbers, truth values and texts: none of these
 * can fail. Undefined for any other condition, which the engine evaluates.
 */
export function conditionClosure(expr: Expr, names: Names): ((input: PolicyInput) => boolean) | undefined {
  const whole = partOf(expr, names);
  if (whole?.gives !== 'plain') return undefined;
  return (input) => whole.of(input) === true;
}

function partOf({ exprKind }: Expr, names: Names): Part | undefined {
  switch (exprKind.case) {
    case 'identExpr':
      return rootOf(exprKind.value.name);
    case 'constExpr':
      return constantOf(exprKind.value);
    case 'selectExpr':
      return selected(exprKind.value, names);
    case 'callExpr':
      return called(exprKind.value, names);
    case 'listExpr':
      return listOf(exprKind.value, names);
    default:
      return undefined;
  }
}

function rootOf(name: string): Part | undefined {
  if (name === 'enquiry') return { gives: 'message', schema: EnquirySchema, of: ({ enquiry }) => enquiry };
  if (name === 'terms') return { gives: 'message', schema: TermsSchema, of: ({ terms }) => terms };
  return undefined;
}

const always = (value: Plain): Part => ({ gives: 'plain', of: () => value });

function constantOf({ constantKind }: Kind<'constExpr'>): Part | undefined {
  switch (constantKind.case) {
    case 'boolValue':
    case 'int64Value':
    case 'stringValue':
      return always(constantKind.value);
    default:
      return undefined;
  }
}

function selected({ operand, field, testOnly }: Kind<'selectExpr'>, names: Names): Part | undefined {
  if (!operand) return undefined;
  if (operand.exprKind.case === 'identExpr' && !testOnly) {
    const { name } = operand.exprKind.value;
    if (name === 'facts') return { gives: 'plain', of: ({ facts }) => facts[field] ?? false };
    const value = names.enumNamed(name)?.values.find((one) => one.name === field);
    if (value) return always(value.number);
  }
  const of = partOf(operand, names);
  if (of?.gives !== 'message') return undefined;
  const found = of.schema.fields.find(({ name }) => name === field);
  if (!found) return undefined;
  if (!testOnly) return fieldOf(of, found);
  const isStated = (input: PolicyInput) => {
    const message = of.of(input);
    return message !== undefined && isFieldSet(message, found);
  };
  return { gives: 'plain', of: isStated };
}

const EXACT: ReadonlySet<ScalarType> = new Set([
  ScalarType.BOOL,
  ScalarType.INT32,
  ScalarType.INT64,
  ScalarType.STRING,
]);

function fieldOf({ of, schema }: Extract<Part, { gives: 'message' }>, field: DescField): Part | undefined {
  const { localName } = field;
  const empty = create(schema);
  const fieldsOf = (input: PolicyInput) => (of(input) ?? empty) as Message & Fields;
  const unstated = (empty as Message & Fields)[localName];
  switch (field.fieldKind) {
    case 'message':
      if (field.message.typeName.startsWith('google.protobuf.')) return undefined;
      return {
        gives: 'message',
        schema: field.message,
        of: (input) => fieldsOf(input)[localName] as Message | undefined,
      };
    case 'list':
      if (field.listKind !== 'enum') return undefined;
      return {
        gives: 'list',
        of: (input) => eachKnownOnce(field.enum, fieldsOf(input)[localName] as number[]),
      };
    case 'enum':
    case 'scalar': {
      if (field.fieldKind === 'scalar' && !EXACT.has(field.scalar)) return undefined;
      // What is optional and not stated has the value that its type begins with.
      const zero = (unstated ?? zeroOf(field)) as Plain;
      return { gives: 'plain', of: (input) => (fieldsOf(input)[localName] as Plain | undefined) ?? zero };
    }
    case 'map':
      return undefined;
  }
}

function zeroOf(field: Extract<DescField, { fieldKind: 'enum' | 'scalar' }>): Plain {
  return (field.fieldKind === 'scalar' ? ZEROS[field.scalar] : undefined) ?? 0;
}

const ZEROS: Partial<Record<ScalarType, Plain>> = {
  [ScalarType.BOOL]: false,
  [ScalarType.INT64]: 0n,
  [ScalarType.STRING]: '',
};

/** Whole numbers come as number and bigint, which compare by their value. */
const equal = (one: Plain, other: Plain): boolean =>
  typeof one === typeof other || typeof one === 'string' || typeof other === 'string'
    ? one === other
    : !(one < other) && !(one > other);

const COMPARISONS: Readonly<Record<string, (one: Plain, other: Plain) => boolean>> = {
  '_==_': equal,
  '_!=_': (one, other) => !equal(one, other),
  '_<_': (one, other) => one < other,
  '_<=_': (one, other) => one <= other,
  '_>_': (one, other) => one > other,
  '_>=_': (one, other) => one >= other,
};

function called({ function: name, target, args }: Kind<'callExpr'>, names: Names): Part | undefined {
  if (target) return undefined;
  const parts = args.map((operand) => partOf(operand, names));
  const [first, second, third] = parts;
  if (name === '@in') {
    if (first?.gives !== 'plain' || second?.gives !== 'list') return undefined;
    return { gives: 'plain', of: (input) => second.of(input).some((one) => equal(one, first.of(input))) };
  }
  if (first?.gives !== 'plain') return undefined;
  if (name === '!_') return { gives: 'plain', of: (input) => first.of(input) !== true };
  if (second?.gives !== 'plain') return undefined;
  if (name === '_&&_') return { gives: 'plain', of: (input) => first.of(input) === true && second.of(input) };
  if (name === '_||_') return { gives: 'plain', of: (input) => first.of(input) === true || second.of(input) };
  const compare = COMPARISONS[name];
  if (compare) return { gives: 'plain', of: (input) => compare(first.of(input), second.of(input)) };
  if (name !== '_?_:_' || third?.gives !== 'plain') return undefined;
  return { gives: 'plain', of: (input) => (first.of(input) === true ? second.of(input) : third.of(input)) };
}

function listOf({ elements }: Kind<'listExpr'>, names: Names): Part | undefined {
  const parts = elements.map((element) => partOf(element, names));
  const plain = parts.flatMap((part) => (part?.gives === 'plain' ? [part.of] : []));
  if (plain.length < parts.length) return undefined;
  return { gives: 'list', of: (input) => plain.map((of) => of(input)) };
}
