import type { Context, PolicyRpcs } from '../context.ts';
import { POLICY_KINDS } from '../model/policy/policy-kinds.ts';
import { activePolicies, findPolicy, findPolicyText } from './policies.sql.ts';
import { policyMessage } from './policy-message.ts';
import { policyNotFound, requestedKind } from './requested-policy.ts';

/**
 * A version with its text and rules; without one named, the one in force. Its rules are those
 * that the text states, whether or not this release can use it. NOT_FOUND. Implements docs/contract.md, section 5.
 */
export function getPolicy({ pool }: Pick<Context, 'pool'>): PolicyRpcs['getPolicy'] {
  return async (request) => {
    const kind = requestedKind(request.kind);
    const version = request.version || (await activePolicies(pool, [kind]))[0]?.version;
    if (version === undefined) throw policyNotFound();
    const [row, stored] = await Promise.all([
      findPolicy(pool, kind, version),
      findPolicyText(pool, kind, version),
    ]);
    if (!row || !stored) throw policyNotFound();
    const rules = POLICY_KINDS[kind].statedRules(stored.text).map((rule) => ({ ...rule }));
    return { policy: policyMessage(row), text: stored.text, rules };
  };
}
