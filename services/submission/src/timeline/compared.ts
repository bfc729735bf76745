import { create, fromBinary } from '@bufbuild/protobuf';
import type { KeyRing } from '@supplier/lib/data/crypto';
import type { SubmissionId } from '@supplier/lib/text/ids';
import { EnquirySchema } from '@supplier/proto/common/v1/enquiry';
import { TermsSchema } from '@supplier/proto/common/v1/principal';
import { PolicyKind } from '@supplier/proto/submission/v1/policies';
import type { Context } from '../context.ts';
import { snapshotAad } from '../model/associated-data.ts';
import { DECISION_FORM, seenFacts } from '../model/policy/decision-policy.ts';
import { explainMatch } from '../model/policy/policy-condition.ts';
import { type KnownPolicyKind, POLICY_KINDS } from '../model/policy/policy-kinds.ts';
import { PRE_UNDERWRITING_FORM } from '../model/policy/pre-underwriting-policy.ts';
import type { PolicyInput } from '../model/policy/seen-by-conditions.ts';
import { findPolicyText } from '../store/policies.sql.ts';
import { openEnquiry, termsOf } from '../store/submission-row.ts';
import type { FoundTimeline } from './find-timeline.sql.ts';

/** The comparisons of the rules that decided and that failed an Application, in words; empty if unknown. */
export interface Compared {
  readonly decision: string;
  readonly preUnderwriting: string;
}

/**
 * Explains the comparisons by which a submission was decided and pre-underwritten. Nothing extra is stored that an
 * erasure would have to find: the rule, the terms, the sealed enquiry and the counts of the decision are stored anyway,
 * and a policy version never changes. Contains no value that identifies a person.
 */
export async function comparedBy(
  parts: Parts,
  { submission }: Pick<FoundTimeline, 'submission'>,
): Promise<Compared> {
  const { decisionPolicy, decisionRule, application } = submission;
  const [decision, preUnderwriting] = await Promise.all([
    why(parts, PolicyKind.DECISION, { version: decisionPolicy, rule: decisionRule }, () =>
      decidedInput(parts.keyRing, submission),
    ),
    why(
      parts,
      PolicyKind.PRE_UNDERWRITING,
      { version: application?.preUnderwritingPolicy, rule: application?.preUnderwritingReasons[0] },
      () => assessedInput(parts.keyRing, submission),
    ),
  ]);
  return { decision, preUnderwriting };
}

type Parts = Pick<Context, 'pool' | 'keyRing' | 'policies'>;

/** The rule that applied and the policy's version; undefined if none applied. */
interface Applied {
  readonly version: string | null | undefined;
  readonly rule: string | null | undefined;
}

const FACTS: Readonly<Record<KnownPolicyKind, PolicyInput['facts']>> = {
  [PolicyKind.DECISION]: DECISION_FORM.trialFacts,
  [PolicyKind.PRE_UNDERWRITING]: PRE_UNDERWRITING_FORM.trialFacts,
};

async function why(
  parts: Parts,
  kind: KnownPolicyKind,
  { version, rule }: Applied,
  inputOf: () => PolicyInput | undefined,
): Promise<string> {
  if (!version || !rule) return '';
  const when = await conditionOf(parts, kind, version, rule);
  if (when === undefined) return '';
  try {
    const input = inputOf();
    return input ? explainMatch(when, FACTS[kind], input) : '';
  } catch {
    // An unreadable value is reported by the work on it. The rest of the timeline is returned.
    return '';
  }
}

/** Returns the condition of a rule, from the active policy or from the stored text of that version. */
async function conditionOf(
  { pool, policies }: Parts,
  kind: KnownPolicyKind,
  version: string,
  rule: string,
): Promise<string | undefined> {
  const inForce = kind === PolicyKind.DECISION ? policies.decision : policies.preUnderwriting;
  if (inForce.version === version) return inForce.rules.find((one) => one.rule === rule)?.when;
  const stored = await findPolicyText(pool, kind, version);
  return stored && POLICY_KINDS[kind].statedRules(stored.text).find((one) => one.rule === rule)?.condition;
}

type Row = FoundTimeline['submission'];

function decidedInput(keyRing: KeyRing, row: Row): PolicyInput | undefined {
  if (row.enquiry === null) return undefined;
  const enquiry = openEnquiry(keyRing, { id: row.id as SubmissionId, enquiry: row.enquiry });
  const facts = seenFacts(enquiry, {
    duplicate: row.duplicateOf !== null,
    acceptedToday: row.acceptedToday ?? 0,
    acceptedThisMonth: row.acceptedThisMonth ?? 0,
  });
  return { enquiry, terms: termsOf(Buffer.from(row.terms)), facts };
}

function assessedInput(keyRing: KeyRing, { id, application }: Row): PolicyInput | undefined {
  if (!application?.snapshot) return undefined;
  const snapshot = keyRing.open(application.snapshot, snapshotAad(id as SubmissionId));
  return { enquiry: fromBinary(EnquirySchema, snapshot), terms: create(TermsSchema), facts: {} };
}
