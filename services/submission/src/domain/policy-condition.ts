import { type CelError, type CelInput, celEnv, isCelError, parse, plan } from '@bufbuild/cel';
import { create, createRegistry } from '@bufbuild/protobuf';
import { EnquirySchema, file_supplier_common_v1_enquiry } from '@supplier/proto/common/v1/enquiry';
import { file_supplier_common_v1_principal, TermsSchema } from '@supplier/proto/common/v1/principal';
import { checkCondition, type Expr } from './check-condition.ts';
import { conditionClosure, type PolicyInput } from './condition-closure.ts';
import { measureCondition } from './condition-text.ts';
import { explainCondition } from './explain-condition.ts';
import { seenOfEnquiry, seenOfTerms } from './seen-by-conditions.ts';

export type { PolicyInput } from './condition-closure.ts';

/** An input as the conditions of a policy evaluate it, one after the other. */
export class ConditionInput {
  readonly given: PolicyInput;
  #seen: Record<'enquiry' | 'terms' | 'facts', CelInput> | undefined;

  constructor(given: PolicyInput) {
    this.given = given;
  }

  /** The part that conditions see: nothing that identifies anybody, and no free text. */
  get seen(): Record<'enquiry' | 'terms' | 'facts', CelInput> {
    const { enquiry, terms, facts } = this.given;
    this.#seen ??= {
      enquiry: seenOfEnquiry(enquiry) as CelInput,
      terms: seenOfTerms(terms) as CelInput,
      facts: facts as CelInput,
    };
    return this.#seen;
  }
}

export interface Condition {
  /** Throws ConditionFailed. */
  holds(input: ConditionInput): boolean;
  /** Whether it holds for any input: it is just `true`. */
  readonly always: boolean;
  /** The number of its parts. */
  readonly parts: number;
  /** The maximum of steps that it takes. */
  readonly cost: number;
}

/** All that is ever reported about a failed condition: neither the engine's message nor a value. */
export type FailureKind =
  | 'division_by_zero'
  | 'overflow'
  | 'type_mismatch'
  | 'missing_value'
  | 'invalid_value'
  | 'other';

/** A condition that failed on an enquiry. */
export class ConditionFailed extends Error {
  override readonly name = 'ConditionFailed';
  constructor(kind: FailureKind) {
    super(`fails: ${kind}`);
  }
}

/** The maximum of steps that one condition may take. */
const MAX_COST = 2_000;
const MAX_REASON_LENGTH = 300;
const NAMESPACE = 'supplier.common.v1';
const registry = createRegistry(file_supplier_common_v1_enquiry, file_supplier_common_v1_principal);
const environment = celEnv({ namespace: NAMESPACE, registry });
const enumNamed = (name: string) => registry.getEnum(`${NAMESPACE}.${name}`);

/**
 * Compiles a condition in CEL over `enquiry`, `terms` and `facts`, within the bounds of docs/decisions/0027, and tries
 * it on an empty enquiry. Returns its faults, if any, one sentence each. `trialFacts` has every fact that conditions
 * may use.
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
    return { faults: [`The condition is not CEL: ${readableReason(error)}.`] };
  }
  if (!expr) return { faults: ['The condition is not CEL: it is empty.'] };
  const names = { facts: trialFacts, enumNamed };
  const { cost, faults } = checkCondition(expr, names);
  if (faults.length > 0) return { faults };
  if (cost > MAX_COST) {
    return {
      faults: [
        `The condition can take ${cost > 1e9 ? 'more than 1000000000' : cost} steps, and may take ${MAX_COST}: iterate less within what is iterated.`,
      ],
    };
  }
  const evaluate = plan(environment, expr);
  const closure = conditionClosure(expr, names);
  const outcome = (input: ConditionInput): boolean | FailureKind => {
    if (closure) return closure(input.given);
    const result = withoutTraces(() => evaluate(input.seen));
    if (typeof result === 'boolean') return result;
    return isCelError(result) ? kindOf(result) : 'type_mismatch';
  };
  const empty = { enquiry: create(EnquirySchema), terms: create(TermsSchema), facts: trialFacts };
  const trial = outcome(new ConditionInput(empty));
  if (typeof trial !== 'boolean')
    return { faults: [`The condition fails for an enquiry that states nothing: ${trial}.`] };
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

/**
 * What made a condition that `compileCondition` has taken hold for an input, in words; empty where it does not hold for
 * it, or compared nothing.
 */
export function whyItHolds(text: string, trialFacts: PolicyInput['facts'], input: PolicyInput): string {
  const compiled = compileCondition(text, trialFacts);
  const { expr } = parse(text);
  if (!('condition' in compiled) || !expr || !compiled.condition.holds(new ConditionInput(input))) return '';
  return explainCondition(expr, text, input, { facts: trialFacts, enumNamed });
}

/** The engine creates an error for every intermediate failure: stack traces that nobody reads took most of its time. */
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

/** The parser's message about the text, with the character only, since a condition has one line. */
function readableReason(error: unknown): string {
  const [, at, reason] = /^<input>:\d+:(\d+): (.*)$/s.exec(error instanceof Error ? error.message : '') ?? [];
  if (!reason) return 'it cannot be read';
  return `${reason.trim().replace(/\.$/, '').slice(0, MAX_REASON_LENGTH)} at character ${at}`;
}
