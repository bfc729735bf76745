import { type CelInput, celEnv, isCelError, parse, plan } from '@bufbuild/cel';
import { create, createRegistry } from '@bufbuild/protobuf';
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
import { z } from 'zod';

/** What the rules of a policy can look at. */
export interface PolicyInput {
  readonly enquiry: Enquiry;
  readonly terms: Terms;
  readonly facts: Readonly<Record<string, boolean | bigint>>;
}

interface Policy<Outcome> {
  readonly version: string;
  /** The first rule, in order, that holds; undefined when none does. */
  firstMatch(input: PolicyInput): { readonly rule: string; readonly outcome: Outcome } | undefined;
}

const policyFile = z
  .strictObject({
    version: z.string().min(1),
    rules: z.array(z.looseObject({ rule: z.string().regex(/^[a-z-]+$/), when: z.string().min(1) })).min(1),
  })
  .refine(
    ({ rules }) => new Set(rules.map(({ rule }) => rule)).size === rules.length,
    'two rules have one name',
  );

const environment = celEnv({
  namespace: 'supplier.common.v1',
  registry: createRegistry(file_supplier_common_v1_enquiry, file_supplier_common_v1_principal),
});

/**
 * Compiles an ordered list of rules, each a condition in CEL over `enquiry`, `terms` and `facts`, and tries every
 * condition once: a rule that does not parse, names a field that does not exist or is no condition stops the start.
 * `trialFacts` has every fact that rules may use. Implements docs/contract.md, section 5.
 */
export function compilePolicy<Outcome>(
  text: string,
  outcome: z.ZodType<Outcome>,
  trialFacts: PolicyInput['facts'],
): Policy<Outcome> {
  const { version, rules } = policyFile.parse(JSON.parse(text));
  const trial = { enquiry: create(EnquirySchema), terms: create(TermsSchema), facts: trialFacts };
  const compiled = rules.map(({ rule, when, ...rest }) => {
    const holds = compileCondition(rule, when);
    holds(trial);
    return { rule, holds, outcome: outcome.parse(rest) };
  });
  return { version, firstMatch: (input) => compiled.find(({ holds }) => holds(input)) };
}

function compileCondition(name: string, when: string): (input: PolicyInput) => boolean {
  const evaluate = plan(environment, parse(when));
  return ({ enquiry, terms, facts }) => {
    const result = evaluate({ enquiry, terms, facts: facts as CelInput } as Record<string, CelInput>);
    if (typeof result === 'boolean') return result;
    throw new Error(
      `the condition of rule ${name} ${isCelError(result) ? `fails: ${result.message}` : 'is neither true nor false'}`,
    );
  };
}
