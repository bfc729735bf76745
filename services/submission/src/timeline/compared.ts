import { create, fromBinary } from '@bufbuild/protobuf';
import type { KeyRing } from '@supplier/lib/data/crypto';
import type { SubmissionId } from '@supplier/lib/text/ids';
import { EnquirySchema } from '@supplier/proto/common/v1/enquiry';
import { TermsSchema } from '@supplier/proto/common/v1/principal';
import { PolicyKind } from '@supplier/proto/submission/v1/policies';
import type { Context } from '../context.ts';
import { snapshotAad } from '../model/associated-data.ts';
import { comparedKinds } from '../model/policy/compared-kinds.ts';
import { DECISION_FORM, seenFacts } from '../model/policy/decision-policy.ts';
import type { PolicyForm } from '../model/policy/policy.ts';
import { ConditionFailed, explainMatch } from '../model/policy/policy-condition.ts';
import { type KnownPolicyKind, POLICY_KINDS } from '../model/policy/policy-kinds.ts';
import { PRE_UNDERWRITING_FORM } from '../model/policy/pre-underwriting-policy.ts';
import type { KnownFactKind, PolicyInput } from '../model/policy/seen-by-conditions.ts';
import { findPolicyText } from '../store/policies.sql.ts';
import { openEnquiry, termsOf } from '../store/submission-row.ts';

/** Something about the rule that decided, and about the rule that failed the Application. */
export interface OfRules<What> {
  readonly decision: What;
  readonly preUnderwriting: What;
}

type Policies = Pick<Context, 'pool' | 'policies'>;

interface Grounds {
  readonly decisionPolicy: string | null;
  readonly decisionRule: string | null;
  readonly application: {
    readonly preUnderwritingPolicy: string | null;
    readonly preUnderwritingReasons: readonly string[];
  } | null;
}

/** Returns the kinds of facts that the rules of a submission compare. Opens no applicant data. */
export async function kindsCompared(
  policies: Policies,
  grounds: Grounds,
): Promise<OfRules<readonly KnownFactKind[]>> {
  const { decision, preUnderwriting } = await conditionsOf(policies, grounds);
  return {
    decision: kindsIn(decision, DECISION_FORM),
    preUnderwriting: kindsIn(preUnderwriting, PRE_UNDERWRITING_FORM),
  };
}

/** The stored values that rules compare, sealed. */
interface Compared extends Grounds {
  readonly id: string;
  readonly enquiry: Uint8Array | null;
  readonly terms: Uint8Array;
  readonly duplicateOf: string | null;
  readonly contactChecks: number;
  readonly acceptedToday: number | null;
  readonly acceptedThisMonth: number | null;
  readonly application:
    | (NonNullable<Grounds['application']> & { readonly snapshot: Uint8Array | null })
    | null;
}

/**
 * Explains the comparisons by which a submission was decided and pre-underwritten; empty if unknown. Nothing extra is
 * stored that an erasure would have to find: the rule, the terms, the sealed enquiry and the counts of the decision are
 * stored anyway, and a policy version never changes. Contains no value that identifies a person.
 */
export async function valuesCompared(
  { keyRing, ...policies }: Policies & { readonly keyRing: KeyRing },
  row: Compared,
): Promise<OfRules<string>> {
  const { decision, preUnderwriting } = await conditionsOf(policies, row);
  return {
    decision: why(decision, DECISION_FORM, () => decidedInput(keyRing, row)),
    preUnderwriting: why(preUnderwriting, PRE_UNDERWRITING_FORM, () => assessedInput(keyRing, row)),
  };
}

async function conditionsOf(
  policies: Policies,
  { decisionPolicy, decisionRule, application }: Grounds,
): Promise<OfRules<string | undefined>> {
  const [decision, preUnderwriting] = await Promise.all([
    conditionOf(policies, PolicyKind.DECISION, decisionPolicy, decisionRule),
    conditionOf(
      policies,
      PolicyKind.PRE_UNDERWRITING,
      application?.preUnderwritingPolicy,
      application?.preUnderwritingReasons[0],
    ),
  ]);
  return { decision, preUnderwriting };
}

/** Returns the condition of a rule, from the active policy or from the stored text of that version. */
async function conditionOf(
  { pool, policies }: Policies,
  kind: KnownPolicyKind,
  version: string | null | undefined,
  rule: string | null | undefined,
): Promise<string | undefined> {
  if (!version || !rule) return undefined;
  const inForce = kind === PolicyKind.DECISION ? policies.decision : policies.preUnderwriting;
  if (inForce.version === version) return inForce.rules.find((one) => one.rule === rule)?.when;
  const stored = await findPolicyText(pool, kind, version);
  return stored && POLICY_KINDS[kind].statedRules(stored.text).find((one) => one.rule === rule)?.condition;
}

type Form = PolicyForm<unknown>;

function kindsIn(condition: string | undefined, form: Pick<Form, 'factKinds'>): readonly KnownFactKind[] {
  return condition === undefined ? [] : comparedKinds(condition, form);
}

function why(
  condition: string | undefined,
  { trialFacts }: Pick<Form, 'trialFacts'>,
  inputOf: () => PolicyInput | undefined,
): string {
  const input = condition === undefined ? undefined : inputOf();
  if (condition === undefined || !input) return '';
  try {
    return explainMatch(condition, trialFacts, input);
  } catch (error) {
    if (error instanceof ConditionFailed) return '';
    throw error;
  }
}

function decidedInput(keyRing: KeyRing, row: Compared): PolicyInput | undefined {
  if (row.enquiry === null) return undefined;
  const enquiry = openEnquiry(keyRing, { id: row.id as SubmissionId, enquiry: row.enquiry });
  const facts = seenFacts(enquiry, {
    duplicate: row.duplicateOf !== null,
    contactChecks: row.contactChecks,
    acceptedToday: row.acceptedToday ?? 0,
    acceptedThisMonth: row.acceptedThisMonth ?? 0,
  });
  return { enquiry, terms: termsOf(Buffer.from(row.terms)), facts };
}

function assessedInput(keyRing: KeyRing, { id, application }: Compared): PolicyInput | undefined {
  if (!application?.snapshot) return undefined;
  const snapshot = keyRing.open(application.snapshot, snapshotAad(id as SubmissionId));
  return { enquiry: fromBinary(EnquirySchema, snapshot), terms: create(TermsSchema), facts: {} };
}
