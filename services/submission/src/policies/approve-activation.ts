import {
  type ActionLine,
  approvableAction,
  type Evaluate,
  factLines,
} from '@supplier/lib/governance/approvals';
import { formatTimestamp } from '@supplier/lib/text/time';
import { type ActivatePolicyRequest, PolicyService } from '@supplier/proto/submission/v1/policies';
import type pg from 'pg';
import {
  type KnownPolicyKind,
  POLICY_KINDS,
  policyTarget,
  type ShownRule,
} from '../model/policy/policy-kinds.ts';
import { activePolicies, findPolicy, findPolicyText, sha256Of } from '../store/policies.sql.ts';
import { policyNotFound, requestedKind, unusableVersion } from './policy-message.ts';

/**
 * A policy decides every submission, so the approval covers the digest of the stored text and the activation it replaces. It
 * lists the rules that change.
 */
const evaluateActivation: Evaluate<pg.PoolClient, ActivatePolicyRequest> = async (
  tx,
  { kind: requested, version },
) => {
  const kind = requestedKind(requested);
  const stored = await findPolicy(tx, kind, version);
  const wanted = await findPolicyText(tx, kind, version);
  if (!stored || !wanted) throw policyNotFound();
  const rules = POLICY_KINDS[kind].statedRules(wanted.text);
  // Activation checks whether the conditions can be used.
  if (rules.length === 0) throw unusableVersion();
  const before = await inForce(tx, kind);
  return {
    target: policyTarget(kind, version),
    reasons: before?.version === version ? [] : ['it changes the rules that decide submissions'],
    further: [
      { name: 'policy.version', before: before?.version ?? '', after: version },
      { name: 'policy.sha256', before: before?.sha256 ?? '', after: sha256Of(wanted.text) },
      ...changedRules(before?.rules ?? [], rules),
      ...factLines({
        'in_force.activation': before?.activation ?? '',
        'in_force.since': before?.since ?? '',
        stored_by: stored.author,
        stored_at: formatTimestamp(stored.created_at),
        note: stored.note,
      }),
    ],
  };
};

export const ACTIVATE_POLICY = approvableAction(PolicyService.method.activatePolicy, evaluateActivation);

async function inForce(tx: pg.PoolClient, kind: KnownPolicyKind) {
  const [active] = await activePolicies(tx, [kind]);
  const row = active && (await findPolicy(tx, kind, active.version));
  const stored = active && (await findPolicyText(tx, kind, active.version));
  if (!row?.activated_at || !stored) return undefined;
  return {
    version: row.version,
    activation: active?.sequence ?? '',
    sha256: sha256Of(stored.text),
    rules: POLICY_KINDS[kind].statedRules(stored.text),
    since: formatTimestamp(row.activated_at),
  };
}

/** Returns the added, removed and changed rules, and their order if it changes. */
function changedRules(before: readonly ShownRule[], after: readonly ShownRule[]): ActionLine[] {
  const [orderBefore, orderAfter] = [before, after].map((rules) => rules.map(({ rule }) => rule).join(', '));
  const textOf = (rules: readonly ShownRule[], name: string) => {
    const found = rules.find(({ rule }) => rule === name);
    if (!found) return '';
    const { condition, outcome, reason } = found;
    return `if ${condition}: ${outcome}${reason && ` (${reason})`}`;
  };
  const names = [...new Set([...before, ...after].map(({ rule }) => rule))];
  return [
    ...names.map((name) => ({
      name: `rules.${name}`,
      before: textOf(before, name),
      after: textOf(after, name),
    })),
    { name: 'rules', before: orderBefore ?? '', after: orderAfter ?? '' },
  ].filter((line) => line.before !== line.after);
}
