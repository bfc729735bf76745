import { type CelInput, celEnv, isCelError, parse, plan } from '@bufbuild/cel';
import { create, createRegistry, type DescField, type DescMessage } from '@bufbuild/protobuf';
import {
  type Enquiry,
  EnquirySchema,
  file_supplier_common_v1_enquiry,
} from '@supplier/proto/common/v1/enquiry';
import {
  file_supplier_common_v1_principal,
  type Terms,
  TermsSchema,
} from '@supplier/proto/common/v1/principal';

/** What the rules of a policy can look at. */
export interface PolicyInput {
  readonly enquiry: Enquiry;
  readonly terms: Terms;
  readonly facts: Readonly<Record<string, boolean | bigint>>;
}

export interface Condition {
  holds(input: PolicyInput): boolean;
  /** Whether it holds whatever the input is: it is `true`, and nothing else. */
  readonly always: boolean;
}

type Expr = ReturnType<typeof parse>['expr'];

const NAMESPACE = 'supplier.common.v1';
const registry = createRegistry(file_supplier_common_v1_enquiry, file_supplier_common_v1_principal);
const environment = celEnv({ namespace: NAMESPACE, registry });

/** Names of types, which a condition may compare with. */
const TYPE_NAMES = new Set(
  'bool bytes double dyn int list map null_type string timestamp type uint'.split(' '),
);
/** Said of operands that fit no input; what an empty enquiry alone brings about, such as a division by zero, is not. */
const NEVER_FITS = /no matching overload|type mismatch|unbound function/;

/**
 * Compiles a condition in CEL over `enquiry`, `terms` and `facts`, and tries it, and each part that another part may
 * skip, with an enquiry that states nothing. Answers with what is wrong where something is, one sentence each.
 * `trialFacts` has every fact that conditions may use.
 */
export function compileCondition(
  text: string,
  trialFacts: PolicyInput['facts'],
): { readonly condition: Condition } | { readonly faults: readonly string[] } {
  let expr: Expr;
  try {
    expr = parse(text).expr;
  } catch (error) {
    return { faults: [`The condition is not CEL: ${readableReason(error)}.`] };
  }
  const trial = { enquiry: create(EnquirySchema), terms: create(TermsSchema), facts: trialFacts };
  const faults = [...new Set(unknownNames(expr, trialFacts))];
  if (faults.length > 0) return { faults };
  const failing = [
    ...new Set([...skippable(expr).flatMap((part) => partFault(part, trial)), ...wholeFault(expr, trial)]),
  ];
  if (failing.length > 0) return { faults: failing };
  const evaluate = evaluator(expr);
  return {
    condition: {
      always: text.trim() === 'true',
      holds(input) {
        const result = evaluate(input);
        if (typeof result === 'boolean') return result;
        throw new Error(isCelError(result) ? `fails: ${result.message}` : 'is neither true nor false');
      },
    },
  };
}

function evaluator(expr: Expr) {
  const evaluate = plan(environment, expr);
  return ({ enquiry, terms, facts }: PolicyInput) =>
    evaluate({ enquiry, terms, facts: facts as CelInput } as Record<string, CelInput>);
}

/** The parser's words, without the place in a text that has one line at the most. */
function readableReason(error: unknown): string {
  const [, at, reason] = /^<input>:\d+:(\d+): (.*)$/s.exec(error instanceof Error ? error.message : '') ?? [];
  return reason ? `${reason.trim().replace(/\.$/, '')} at character ${at}` : 'it cannot be read';
}

function wholeFault(expr: Expr, trial: PolicyInput): string[] {
  const result = evaluator(expr)(trial);
  if (isCelError(result))
    return [`The condition fails for an enquiry that states nothing: ${result.message}.`];
  return typeof result === 'boolean' ? [] : ['The condition is neither true nor false.'];
}

interface Part {
  readonly expr: Expr;
  readonly isCondition: boolean;
}

/** Operands that are evaluated only where another one says so: a mistake in them would wait for its enquiry. */
function skippable(expr: Expr): Part[] {
  const { exprKind } = expr;
  switch (exprKind.case) {
    case 'callExpr': {
      const { function: name, args, target } = exprKind.value;
      const isLogic = name === '_&&_' || name === '_||_';
      const own = isLogic || name === '_?_:_' ? args.map((arg) => ({ expr: arg, isCondition: isLogic })) : [];
      return [...own, ...[...args, ...(target ? [target] : [])].flatMap(skippable)];
    }
    case 'selectExpr':
      return exprKind.value.operand ? skippable(exprKind.value.operand) : [];
    // What stands inside of an iteration needs its variable.
    default:
      return [];
  }
}

function partFault({ expr, isCondition }: Part, trial: PolicyInput): string[] {
  const result = evaluator(expr)(trial);
  if (isCelError(result)) {
    return NEVER_FITS.test(result.message) ? [`A part of the condition never fits: ${result.message}.`] : [];
  }
  return isCondition && typeof result !== 'boolean'
    ? ['A part of the condition is neither true nor false.']
    : [];
}

/** What a name stands for, as far as it has fields or values of its own. */
type Known =
  | { readonly kind: 'message' | 'list'; readonly of: DescMessage }
  | { readonly kind: 'facts'; readonly names: ReadonlySet<string> }
  | { readonly kind: 'enum'; readonly name: string; readonly values: ReadonlySet<string> }
  | { readonly kind: 'other' };
type Scope = ReadonlyMap<string, Known>;

const OTHER: Known = { kind: 'other' };

/** A sentence for each name in a condition that stands for nothing, skipped parts included. */
function unknownNames(expr: Expr, facts: PolicyInput['facts']): string[] {
  const faults: string[] = [];
  const roots: Scope = new Map<string, Known>([
    ['enquiry', { kind: 'message', of: EnquirySchema }],
    ['terms', { kind: 'message', of: TermsSchema }],
    ['facts', { kind: 'facts', names: new Set(Object.keys(facts)) }],
  ]);
  visit(expr, roots);
  return faults;

  function visit({ exprKind }: Expr, scope: Scope): Known {
    switch (exprKind.case) {
      case 'identExpr':
        return named(exprKind.value.name, scope);
      case 'selectExpr': {
        const { operand, field } = exprKind.value;
        return operand ? fieldOf(visit(operand, scope), field) : OTHER;
      }
      case 'callExpr':
        for (const part of [exprKind.value.target, ...exprKind.value.args]) if (part) visit(part, scope);
        return OTHER;
      case 'listExpr':
        for (const element of exprKind.value.elements) visit(element, scope);
        return OTHER;
      case 'structExpr':
        for (const { keyKind, value } of exprKind.value.entries) {
          if (keyKind.case === 'mapKey') visit(keyKind.value, scope);
          if (value) visit(value, scope);
        }
        return OTHER;
      case 'comprehensionExpr': {
        const { iterRange, iterVar, iterVar2, accuVar, accuInit, loopCondition, loopStep, result } =
          exprKind.value;
        const range = iterRange ? visit(iterRange, scope) : OTHER;
        const element: Known = range.kind === 'list' ? { kind: 'message', of: range.of } : OTHER;
        const inner = new Map([...scope, [accuVar, OTHER], [iterVar, element], [iterVar2, OTHER]] as const);
        for (const part of [accuInit, loopCondition, loopStep, result]) if (part) visit(part, inner);
        return OTHER;
      }
      default:
        return OTHER;
    }
  }

  function named(name: string, scope: Scope): Known {
    const known = scope.get(name);
    if (known) return known;
    const values = registry.getEnum(`${NAMESPACE}.${name}`)?.values;
    if (values) return { kind: 'enum', name, values: new Set(values.map((value) => value.name)) };
    if (!TYPE_NAMES.has(name))
      faults.push(`There is no "${name}": conditions look at enquiry, terms and facts.`);
    return OTHER;
  }

  function fieldOf(operand: Known, field: string): Known {
    switch (operand.kind) {
      case 'message': {
        const found = operand.of.fields.find(({ name }) => name === field);
        if (!found) faults.push(`${operand.of.name} has no field "${field}".`);
        return found ? kindOf(found) : OTHER;
      }
      case 'facts':
        if (!operand.names.has(field)) faults.push(`There is no fact "${field}".`);
        return OTHER;
      case 'enum':
        if (!operand.values.has(field)) faults.push(`${operand.name} has no value "${field}".`);
        return OTHER;
      case 'list':
      case 'other':
        return OTHER;
    }
  }
}

function kindOf(field: DescField): Known {
  if (field.fieldKind === 'message') return { kind: 'message', of: field.message };
  if (field.fieldKind === 'list' && field.listKind === 'message') return { kind: 'list', of: field.message };
  return OTHER;
}
