import { type DescEnum, type DescField, type Message, ScalarType } from '@bufbuild/protobuf';
import { spellEnumValue } from '@supplier/lib/text/enum-spelling';
import { EnquirySchema } from '@supplier/proto/common/v1/enquiry';
import { TermsSchema } from '@supplier/proto/common/v1/principal';
import type { Expr, Names } from './check-condition.ts';
import {
  ENQUIRY_SIGHTS,
  type FieldSight,
  isSeen,
  type PolicyInput,
  TERMS_SIGHTS,
} from './seen-by-conditions.ts';

type Kind<Case extends string> = Extract<Expr['exprKind'], { case: Case }>['value'];

/** How values are named when their path says too little. */
const SPOKEN: Readonly<Record<string, string>> = {
  'terms.thresholds.minimum_funding_amount': "the account's minimum",
  'terms.thresholds.maximum_funding_amount': "the account's maximum",
  'terms.thresholds.excluded_sectors': "the account's excluded sectors",
  'terms.thresholds.minimum_annual_turnover_gbp': "the account's minimum",
  'terms.thresholds.minimum_trading_duration': "the account's minimum",
  'terms.caps.accepted_per_day': "the account's cap for the day",
  'terms.caps.accepted_per_month': "the account's cap for the month",
  'facts.turnover_at_most': 'annual turnover of at most',
  'facts.accepted_today': 'accepted today:',
  'facts.accepted_this_month': 'accepted this month:',
};

const RELATIONS: Readonly<Record<string, readonly [holds: string, not: string]>> = {
  '_==_': ['is', 'is not'],
  '_!=_': ['is not', 'is'],
  '_<_': ['is below', 'is at least'],
  '_<=_': ['is at most', 'is above'],
  '_>_': ['is above', 'is at most'],
  '_>=_': ['is at least', 'is below'],
  '@in': ['is one of', 'is not one of'],
};

/** One side of a comparison. */
interface Operand {
  /** Its name; empty for a constant. */
  readonly name: string;
  /** Its value in words; empty for a supplier's text, which may contain anything. */
  readonly value: string;
  /** The enum that its number belongs to. */
  readonly numbers?: DescEnum | undefined;
}

interface HeldCondition extends Pick<Names, 'enumNamed'> {
  readonly expr: Expr;
  readonly text: string;
  readonly input: PolicyInput;
  /** Returns the truth value of a part of the condition; anything else if the part fails. */
  evaluate(part: Expr): unknown;
}

/**
 * Explains why a condition holds for an input: "funding_amount 25,000 is below the account's minimum 30,000". Repeats
 * no text from a supplier. A condition that is more than comparisons is quoted with the values it uses. Empty if
 * nothing was compared.
 */
export function explainCondition({ expr, text, input, enumNamed, evaluate }: HeldCondition): string {
  const clauses = clausesOf(expr, true);
  if (clauses) return [...new Set(clauses)].join(' and ');
  const values = [...new Set(operandsIn(expr).map(spoken))];
  return `the condition ${text} holds${values.length > 0 ? `, with ${values.join(', ')}` : ''}`;

  /** Returns the comparisons that make a part hold, or not hold; undefined if it is more than comparisons. */
  function clausesOf(part: Expr, holds: boolean): string[] | undefined {
    const { exprKind } = part;
    if (exprKind.case === 'constExpr') return [];
    if (exprKind.case === 'selectExpr') return selected(part, exprKind.value, holds);
    if (exprKind.case !== 'callExpr') return undefined;
    const { function: name, target, args } = exprKind.value;
    const [first, second] = args;
    if (target || !first) return undefined;
    if (name === '!_') return clausesOf(first, !holds);
    if (!second) return undefined;
    if (name === '_&&_' || name === '_||_')
      return joined([first, second], (name === '_&&_') === holds, holds);
    const relation = RELATIONS[name]?.[holds ? 0 : 1];
    const [left, right] = [operandOf(first), operandOf(second)];
    if (!relation || !left || !right) return undefined;
    const [one, other] = [withNumbers(left, right), withNumbers(right, left)];
    // The value already implies that the field is stated.
    if (relation === 'is not' && [one, other].some(({ value }) => value === UNSTATED)) return [];
    const said = relation === 'is' && one.value === other.value ? one.name || spoken(one) : spoken(one);
    return [`${said} ${relation} ${spoken(other)}`];
  }

  /** Explains all parts, or the first one with the required result. */
  function joined(parts: readonly Expr[], all: boolean, holds: boolean): string[] | undefined {
    const each = all ? parts : parts.filter((part) => evaluate(part) === holds).slice(0, 1);
    if (each.length === 0) return undefined;
    const clauses = each.map((part) => clausesOf(part, holds));
    return clauses.every((some) => some !== undefined) ? clauses.flat() : undefined;
  }

  function selected(part: Expr, { testOnly }: Kind<'selectExpr'>, holds: boolean): string[] | undefined {
    // The value already implies that a limit is set, and the decision records the matching submission.
    if (testOnly || pathOf(part) === 'facts.duplicate') return [];
    const operand = operandOf(part);
    return operand && [`${operand.name} is ${holds}`];
  }

  function operandOf(part: Expr): Operand | undefined {
    const { exprKind } = part;
    if (exprKind.case === 'constExpr') {
      const { constantKind } = exprKind.value;
      if (constantKind.case === 'stringValue') return { name: '', value: JSON.stringify(constantKind.value) };
      return { name: '', value: inWords(constantKind.value) };
    }
    if (exprKind.case === 'listExpr') {
      const all = exprKind.value.elements.map(operandOf);
      return { name: '', value: all.map((one) => one?.value ?? '').join(', ') };
    }
    const path = pathOf(part);
    if (path === undefined) return undefined;
    const [root = '', ...fields] = path.split('.');
    const numbers = enumNamed(root);
    const constant = numbers?.values.find(({ name }) => name === fields[0]);
    if (numbers && constant) return { name: '', value: spelledIn(numbers, constant.number) };
    if (root === 'facts') return { name: nameOf(path), value: inWords(input.facts[fields[0] ?? '']) };
    if (root === 'enquiry')
      return fieldOperand(path, fields, EnquirySchema.fields, input.enquiry, ENQUIRY_SIGHTS);
    if (root === 'terms') return fieldOperand(path, fields, TermsSchema.fields, input.terms, TERMS_SIGHTS);
    return undefined;
  }

  /** Returns every value that a condition uses. */
  function operandsIn(part: Expr): Operand[] {
    const path = pathOf(part);
    const operand = path?.includes('.') ? operandOf(part) : undefined;
    if (operand) return operand.name === '' ? [] : [operand];
    const { exprKind } = part;
    switch (exprKind.case) {
      case 'callExpr':
        return [...(exprKind.value.target ? [exprKind.value.target] : []), ...exprKind.value.args].flatMap(
          operandsIn,
        );
      case 'listExpr':
        return exprKind.value.elements.flatMap(operandsIn);
      case 'comprehensionExpr': {
        const { iterRange, loopStep } = exprKind.value;
        return [iterRange, loopStep].flatMap((inner) => (inner ? operandsIn(inner) : []));
      }
      default:
        return [];
    }
  }
}

const UNSTATED = 'not stated';
const spoken = ({ name, value }: Operand): string => [name, value].filter((text) => text !== '').join(' ');
const nameOf = (path: string): string => SPOKEN[path] ?? path.replace(/^(enquiry|facts)\./, '');

/** A number compared with an enum's value belongs to that enum. */
function withNumbers(operand: Operand, { numbers }: Operand): Operand {
  const known = operand.name === '' ? numbers?.value[Number(operand.value)] : undefined;
  return known ? { ...operand, value: spellEnumValue(known) } : operand;
}

/** Returns a path such as `enquiry.credit_screening.provider`; undefined for other expressions. */
export function pathOf({ exprKind }: Expr): string | undefined {
  if (exprKind.case === 'identExpr') return exprKind.value.name;
  if (exprKind.case !== 'selectExpr' || !exprKind.value.operand) return undefined;
  const before = pathOf(exprKind.value.operand);
  return before === undefined ? undefined : `${before}.${exprKind.value.field}`;
}

function fieldOperand(
  path: string,
  [name, ...rest]: readonly string[],
  fields: readonly DescField[],
  message: Message | undefined,
  sights: FieldSight,
): Operand | undefined {
  const field = fields.find((one) => one.name === name);
  const sight = typeof sights === 'object' && field ? sights[field.localName] : undefined;
  if (!field || !isSeen(sight)) return undefined;
  const value = (message as unknown as Readonly<Record<string, unknown>> | undefined)?.[field.localName];
  if (field.fieldKind === 'message' && rest.length > 0)
    return fieldOperand(path, rest, field.message.fields, value as Message | undefined, sight);
  const numbers = field.fieldKind === 'enum' || field.fieldKind === 'list' ? field.enum : undefined;
  return { name: nameOf(path), value: sight === 'label' ? '' : shownValue(field, value), numbers };
}

function shownValue(field: DescField, value: unknown): string {
  switch (field.fieldKind) {
    case 'enum':
      return spelledIn(field.enum, value ?? 0);
    case 'list': {
      const values: readonly unknown[] = Array.isArray(value) ? value : [];
      return field.listKind === 'enum' ? values.map((one) => spelledIn(field.enum, one)).join(', ') : '';
    }
    case 'scalar':
      return inWords(value ?? (field.scalar === ScalarType.BOOL ? false : UNSTATED));
    default:
      return '';
  }
}

function spelledIn(schema: DescEnum, number: unknown): string {
  const known = schema.value[Number(number)];
  return known && known.number !== 0 ? spellEnumValue(known) : UNSTATED;
}

function inWords(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'bigint') return value.toLocaleString('en-GB');
  return typeof value === 'boolean' || typeof value === 'string' ? String(value) : '';
}
