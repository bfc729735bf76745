import type { parse } from '@bufbuild/cel';
import type { DescEnum } from '@bufbuild/protobuf';
import { EnquirySchema } from '@supplier/proto/common/v1/enquiry';
import { TermsSchema } from '@supplier/proto/common/v1/principal';
import {
  canBeIn,
  nameOfType,
  OVERLOADS,
  type Plain,
  TYPE_NAMES,
  type Type,
  typeOfField,
} from './condition-types.ts';
import { ENQUIRY_SIGHTS, isSeen, TERMS_SIGHTS } from './seen-by-conditions.ts';

export type Expr = NonNullable<ReturnType<typeof parse>['expr']>;
type Kind<Case extends string> = Extract<Expr['exprKind'], { case: Case }>['value'];
type Scope = ReadonlyMap<string, Type>;

export interface Names {
  /** All facts that conditions may use, each with a value of its type. */
  readonly facts: Readonly<Record<string, boolean | bigint>>;
  enumNamed(name: string): DescEnum | undefined;
}

export interface CheckedCondition {
  /** The maximum number of steps for any enquiry. Each evaluated operand counts as one. */
  readonly cost: number;
  readonly faults: readonly string[];
}

const WRONG: Type = { is: 'wrong' };
const BOOL: Type = { is: 'bool' };

/**
 * Checks a condition without evaluating it: the type of each part, whether it may be used, and the maximum number of
 * steps. Everything not allowed here is not part of the language. Faults are sentences that name fields and types,
 * never values.
 */
export function checkCondition(expr: Expr, names: Names): CheckedCondition {
  const faults = new Set<string>();
  const roots: Scope = new Map<string, Type>([
    ['enquiry', { is: 'message', of: EnquirySchema, path: 'enquiry', sights: ENQUIRY_SIGHTS }],
    ['terms', { is: 'message', of: TermsSchema, path: 'terms', sights: TERMS_SIGHTS }],
    ['facts', { is: 'facts' }],
  ]);
  const { type, cost } = visit(expr, roots);
  if (type.is !== 'bool' && type.is !== 'wrong') faults.add('The condition is neither true nor false.');
  return { cost, faults: [...faults] };

  function visit({ exprKind }: Expr, scope: Scope): { readonly type: Type; readonly cost: number } {
    switch (exprKind.case) {
      case 'identExpr':
        return { type: named(exprKind.value.name, scope), cost: 1 };
      case 'constExpr':
        return { type: constant(exprKind.value), cost: 1 };
      case 'selectExpr':
        return select(exprKind.value, scope);
      case 'callExpr':
        return call(exprKind.value, scope);
      case 'listExpr':
        return list(exprKind.value, scope);
      case 'comprehensionExpr':
        return iterate(exprKind.value, scope);
      case 'structExpr':
        return fault('A condition must not construct maps or messages.');
      default:
        return fault('The condition has an empty part.');
    }
  }

  function fault(message: string, cost = 1): { readonly type: Type; readonly cost: number } {
    faults.add(message);
    return { type: WRONG, cost };
  }

  function named(name: string, scope: Scope): Type {
    const known = scope.get(name);
    if (known) return known;
    const values = names.enumNamed(name);
    if (values) return { is: 'enum', of: values };
    if (TYPE_NAMES.has(name)) return { is: 'type' };
    return fault(`There is no "${name}". Conditions can use enquiry, terms and facts.`).type;
  }

  function constant({ constantKind }: Kind<'constExpr'>): Type {
    switch (constantKind.case) {
      case 'boolValue':
        return BOOL;
      case 'int64Value':
        return { is: 'int' };
      case 'doubleValue':
        return { is: 'double' };
      case 'stringValue':
        return { is: 'text' };
      case 'nullValue':
        return fault('A condition must not use null. Use has() to check whether a field is set.').type;
      default:
        return fault('A condition must not use bytes or unsigned numbers.').type;
    }
  }

  function select({ operand, field, testOnly }: Kind<'selectExpr'>, scope: Scope) {
    if (!operand) return fault('The condition has an empty part.');
    const of = visit(operand, scope);
    const type = fieldOf(of.type, field);
    return { type: testOnly && type.is !== 'wrong' ? BOOL : type, cost: of.cost + 1 };
  }

  function fieldOf(operand: Type, field: string): Type {
    switch (operand.is) {
      case 'message': {
        const found = operand.of.fields.find(({ name }) => name === field);
        if (!found) return fault(`${operand.of.name} has no field "${field}".`).type;
        const path = `${operand.path}.${field}`;
        const sight = operand.sights[found.localName];
        if (sight === 'identifies')
          return fault(`A condition must not use ${path}: it identifies a person.`).type;
        if (!isSeen(sight)) return fault(`A condition must not use ${path}: it is free text.`).type;
        return typeOfField(found, sight, path);
      }
      case 'facts': {
        const fact = Object.hasOwn(names.facts, field) ? names.facts[field] : undefined;
        if (fact === undefined) return fault(`There is no fact "${field}".`).type;
        return { is: typeof fact === 'boolean' ? 'bool' : 'int' };
      }
      case 'enum':
        if (!operand.of.values.some(({ name }) => name === field))
          return fault(`${operand.of.name} has no value "${field}".`).type;
        return { is: 'int' };
      case 'wrong':
        return WRONG;
      default:
        return fault(`There is no field "${field}" in ${nameOfType(operand)}.`).type;
    }
  }

  function call({ function: name, target, args }: Kind<'callExpr'>, scope: Scope) {
    const operands = [...(target ? [target] : []), ...args];
    if (name === '_[_]') return indexed(operands, scope);
    const visited = operands.map((operand) => visit(operand, scope));
    const cost = visited.reduce((sum, operand) => sum + operand.cost, 1);
    const types = visited.map(({ type }) => type);
    if (name === '_?_:_') return { type: chosen(types), cost };
    if (name === '@in') return lookedFor(types, cost);
    if (name === 'size' && types[0]?.is === 'list' && types.length === 1)
      return { type: { is: 'int' } as const, cost };
    const overloads = OVERLOADS.get(target ? `.${name}` : name);
    if (!overloads) return fault(`A condition must not use ${shown(name)} here.`, cost);
    const plain = types.map(plainOf);
    if (plain.includes('wrong')) return { type: WRONG, cost };
    const overload = overloads.find(
      ({ takes }) => takes.length === plain.length && takes.every((type, index) => type === plain[index]),
    );
    if (overload) return { type: { is: overload.gives }, cost: cost + (overload.cost ?? 0) };
    if (name === '_&&_' || name === '_||_' || name === '!_')
      return fault('A part of the condition is neither true nor false.', cost);
    return fault(`${shown(name)} does not accept ${types.map(nameOfType).join(' and ')}.`, cost);
  }

  /** Treats enquiry["last_name"] like enquiry.last_name. */
  function indexed([operand, index]: readonly Expr[], scope: Scope) {
    const of = operand ? visit(operand, scope).type : WRONG;
    const kind = index?.exprKind;
    const constantKind = kind?.case === 'constExpr' ? kind.value.constantKind : undefined;
    if (constantKind?.case === 'stringValue') fieldOf(of, constantKind.value);
    else if (index) visit(index, scope);
    return fault('A condition must not use [ ] after a name. Write enquiry.field.');
  }

  /** Returns the type of `condition ? one : other`, which both values share. */
  function chosen([when, one, other]: readonly Type[]): Type {
    if (!when || !one || !other || [when, one, other].some(({ is }) => is === 'wrong')) return WRONG;
    if (when.is !== 'bool') return fault('A part of the condition is neither true nor false.').type;
    const [left, right] = [plainOf(one), plainOf(other)];
    if (left === 'wrong' || right === 'wrong') return WRONG;
    if (left === right) return one;
    if ([left, right].every((type) => type === 'label' || type === 'text')) return { is: 'label' };
    return fault(`? : has ${nameOfType(one)} on one side and ${nameOfType(other)} on the other.`).type;
  }

  function lookedFor([value, among]: readonly Type[], cost: number) {
    if (!value || !among || value.is === 'wrong' || among.is === 'wrong') return { type: WRONG, cost };
    const plain = plainOf(value);
    if (plain === 'wrong') return { type: WRONG, cost };
    if (among.is !== 'list' || (among.of !== 'wrong' && !canBeIn(plain, among.of)))
      return fault(`in does not accept ${nameOfType(value)} and ${nameOfType(among)}.`, cost);
    return { type: BOOL, cost: cost + among.max };
  }

  function list({ elements, optionalIndices }: Kind<'listExpr'>, scope: Scope) {
    const visited = elements.map((element) => visit(element, scope));
    const cost = visited.reduce((sum, element) => sum + element.cost, 1);
    if (optionalIndices.length > 0) return fault('A condition must not use optional elements.', cost);
    const types = visited.map(({ type }) => plainOf(type));
    if (types.includes('wrong')) return { type: WRONG, cost };
    if (types.includes('label'))
      return fault('A list must not contain text from the supplier. Compare with ==.', cost);
    const [first = 'wrong' as Plain] = types;
    if (types.some((type) => type !== first))
      return fault('All values of a list must have the same type.', cost);
    return { type: { is: 'list', of: first, max: elements.length } as const, cost };
  }

  function iterate(loop: Kind<'comprehensionExpr'>, scope: Scope) {
    const { iterRange, iterVar, iterVar2, accuVar, accuInit, loopCondition, loopStep, result } = loop;
    if (!iterRange || !accuInit || !loopCondition || !loopStep || !result)
      return fault('The condition has an empty part.');
    // Macros that build lists could build nested lists.
    if (accuInit.exprKind.case !== 'constExpr')
      return fault('A condition must not use map or filter. Use exists, all or exists_one.');
    if (scope.has(iterVar) || names.enumNamed(iterVar) || TYPE_NAMES.has(iterVar) || iterVar2)
      return fault(`"${iterVar}" is already defined. Use another name for the variable.`);
    const range = visit(iterRange, scope);
    if (range.type.is !== 'list') {
      if (range.type.is !== 'wrong') faults.add(`Cannot iterate over ${nameOfType(range.type)}.`);
      return { type: WRONG, cost: range.cost };
    }
    const accu = visit(accuInit, scope).type;
    const inner = new Map([...scope, [accuVar, accu], [iterVar, { is: range.type.of }]] as const);
    const each = visit(loopCondition, inner).cost + visit(loopStep, inner).cost;
    const end = visit(result, inner);
    return { type: end.type, cost: range.cost + 1 + range.type.max * each + end.cost };
  }

  /** Returns the plain type of a value, or reports a fault if it has none. */
  function plainOf(type: Type): Plain {
    switch (type.is) {
      case 'message':
        return wrong(`A condition must not use ${type.path} as a whole. Use its fields.`);
      case 'facts':
        return wrong('A condition must not use facts as a whole. Use single facts.');
      case 'enum':
        return wrong(`A condition must name a value of ${type.of.name}.`);
      case 'list':
        return wrong('A list can only be iterated or searched.');
      default:
        return type.is;
    }
  }

  function wrong(message: string): 'wrong' {
    faults.add(message);
    return 'wrong';
  }
}

/** Returns an operator or function as written in a condition, from the parser's name. */
const shown = (name: string) =>
  `"${name.replaceAll('_', name.startsWith('_') || name.endsWith('_') ? '' : '_')}"`;
