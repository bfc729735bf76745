import { type CelError, type CelInput, celEnv, isCelError, parse, plan } from '@bufbuild/cel';
import { create, createRegistry } from '@bufbuild/protobuf';
import { EnquirySchema, file_supplier_common_v1_enquiry } from '@supplier/proto/common/v1/enquiry';
import { file_supplier_common_v1_principal, TermsSchema } from '@supplier/proto/common/v1/principal';
import { checkCondition, type Expr } from './check-condition.ts';
import { measureCondition } from './condition-text.ts';
import { explainCondition } from './explain-condition.ts';
import { type PolicyInput, seenOfEnquiry, seenOfTerms } from './seen-by-conditions.ts';

/** The part of an input that conditions can read: nothing that identifies a person, and no free text. */
export type ConditionInput = Readonly<Record<'enquiry' | 'terms' | 'facts', CelInput>>;

/** Prepares an input once for all conditions of a policy. */
export const conditionInput = ({ enquiry, terms, facts }: PolicyInput): ConditionInput => ({
  enquiry: seenOfEnquiry(enquiry) as CelInput,
  terms: seenOfTerms(terms) as CelInput,
  facts: facts as CelInput,
});

export interface Condition {
  /** Throws ConditionFailed. */
  holds(input: ConditionInput): boolean;
  /** Whether it holds for any input, because it is just `true`. */
  readonly always: boolean;
  readonly parts: number;
  readonly cost: number;
}

/** The only detail reported about a failed condition: neither the engine's message nor a value. */
export type FailureKind =
  | 'division_by_zero'
  | 'overflow'
  | 'type_mismatch'
  | 'missing_value'
  | 'invalid_value'
  | 'other';

export class ConditionFailed extends Error {
  override readonly name = 'ConditionFailed';
  constructor(kind: FailureKind) {
    super(`fails: ${kind}`);
  }
}

/** The maximum number of steps for one condition. */
const MAX_COST = 2_000;
const MAX_REASON_LENGTH = 300;
const NAMESPACE = 'supplier.common.v1';
const registry = createRegistry(file_supplier_common_v1_enquiry, file_supplier_common_v1_principal);
const environment = celEnv({ namespace: NAMESPACE, registry });
const enumNamed = (name: string) => registry.getEnum(`${NAMESPACE}.${name}`);

/**
 * Compiles a condition in CEL over `enquiry`, `terms` and `facts`, within the limits of docs/decisions/0027, and tries
 * it on an empty enquiry. Returns its faults, if any, one sentence each. `trialFacts` contains all facts that
 * conditions may use.
 */
export function compileCondition(
  text: string,
  trialFacts: PolicyInput['facts'],
): { readonly condition: Condition } | { readonly faults: readonly string[] } {
  const measured = measureCondition(text);
  if ('fault' in measured) return { faults: [measured.fault] };
  let expr: Expr | undefined;
  try {
    expr = parse(text).expr;
  } catch (error) {
    return { faults: [`The condition is not valid CEL: ${readableReason(error)}.`] };
  }
  if (!expr) return { faults: ['The condition is empty.'] };
  const { cost, faults } = checkCondition(expr, { facts: trialFacts, enumNamed });
  if (faults.length > 0) return { faults };
  if (cost > MAX_COST) {
    return {
      faults: [
        `The condition can take ${cost > 1e9 ? 'more than 1000000000' : cost} steps, more than ${MAX_COST}. Nest fewer iterations.`,
      ],
    };
  }
  const outcome = evaluator(expr);
  const empty = { enquiry: create(EnquirySchema), terms: create(TermsSchema), facts: trialFacts };
  const trial = outcome(conditionInput(empty));
  if (typeof trial !== 'boolean') return { faults: [`The condition fails for an empty enquiry: ${trial}.`] };
  return {
    condition: {
      always: text.trim() === 'true',
      parts: measured.parts,
      cost,
      holds(input) {
        const result = outcome(input);
        if (typeof result === 'boolean') return result;
        throw new ConditionFailed(result);
      },
    },
  };
}

/** Explains why a compiled condition holds for an input. Empty if it does not hold or compared nothing. */
export function explainMatch(text: string, trialFacts: PolicyInput['facts'], input: PolicyInput): string {
  const compiled = compileCondition(text, trialFacts);
  const { expr } = parse(text);
  const seen = conditionInput(input);
  if (!('condition' in compiled) || !expr || !compiled.condition.holds(seen)) return '';
  return explainCondition({ expr, text, input, enumNamed, evaluate: (part) => evaluator(part)(seen) });
}

/** Compiles an expression to a function that returns its truth value or the kind of its failure. */
function evaluator(expr: Expr): (input: ConditionInput) => boolean | FailureKind {
  const evaluate = plan(environment, expr);
  return (input) => {
    const result = withoutTraces(() => evaluate(input));
    if (typeof result === 'boolean') return result;
    return isCelError(result) ? kindOf(result) : 'type_mismatch';
  };
}

/** The engine creates an error for every intermediate failure, and unused stack traces took most of its time. */
function withoutTraces<Result>(evaluate: () => Result): Result {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return evaluate();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

const KINDS: readonly (readonly [RegExp, FailureKind])[] = [
  [/(divide|modulus) by zero/, 'division_by_zero'],
  [/overflow|out of (range|bounds)/, 'overflow'],
  [/no matching overload|type mismatch/, 'type_mismatch'],
  [/not found|unresolved/, 'missing_value'],
  [/convert|parse|invalid/i, 'invalid_value'],
];

function kindOf({ message }: CelError): FailureKind {
  return KINDS.find(([words]) => words.test(message))?.[1] ?? 'other';
}

/** Returns the parser's message with the character position only, since a condition has one line. */
function readableReason(error: unknown): string {
  const [, at, reason] = /^<input>:\d+:(\d+): (.*)$/s.exec(error instanceof Error ? error.message : '') ?? [];
  if (!reason) return 'it cannot be read';
  return `${reason.trim().replace(/\.$/, '').slice(0, MAX_REASON_LENGTH)} at character ${at}`;
}
