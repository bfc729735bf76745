import { inTransaction } from '@supplier/lib/data/postgres';
import { actorOf, auditCall } from '@supplier/lib/governance/audit';
import { RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import type { Context, PolicyRpcs } from '../context.ts';
import { policyTarget } from '../model/policy/policy-kinds.ts';
import { findPolicy, insertPolicy, lockPolicies, sha256Of } from '../store/policies.sql.ts';
import type { PolicyChecks } from './policy-checks.ts';
import { policyMessage, policyNotFound, requestedKind, unusablePolicy } from './policy-message.ts';

/**
 * Stores a version of a policy, which never changes afterwards. Storing the same text again returns the stored version.
 * It has no effect until it is activated. VALIDATION_ERROR with every violation; ALREADY_EXISTS for a different text of
 * a stored version. Audited. Implements docs/contract.md, section 5.
 */
export function storePolicy(
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  policyChecks: PolicyChecks,
): PolicyRpcs['storePolicy'] {
  return async ({ kind: requested, text, note }, call) => {
    const kind = requestedKind(requested);
    const read = await policyChecks.check(kind, text);
    if ('violations' in read) throw unusablePolicy(read.violations);
    const { version } = read.policy;
    const stored = await inTransaction(pool, async (tx) => {
      lockPolicies(tx, kind);
      const known = await findPolicy(tx, kind, version);
      if (known) return known;
      const at = clock.now();
      await insertPolicy(tx, { kind, version, text, note, at, by: actorOf(call) });
      const after = { sha256: sha256Of(text), note };
      await auditCall(tx, call, { at, target: policyTarget(kind, version), after });
      return findPolicy(tx, kind, version);
    });
    if (!stored) throw policyNotFound();
    if (stored.sha256 !== sha256Of(text)) {
      throw refuse(
        RefusalCode.ALREADY_EXISTS,
        'This version exists with a different text. Store the changed policy as a new version.',
      );
    }
    return policyMessage(stored);
  };
}

/**
 * Returns the violations of a text, each with its rule and place; none if it can be stored and activated. Checked on a
 * thread that it cannot block. SERVICE_UNAVAILABLE while too many texts are being checked. Implements docs/contract.md,
 * section 5.
 */
export function validatePolicy(policyChecks: PolicyChecks): PolicyRpcs['validatePolicy'] {
  return async ({ kind, text }) => {
    const read = await policyChecks.check(requestedKind(kind), text);
    return { violations: 'violations' in read ? read.violations.map((violation) => ({ ...violation })) : [] };
  };
}
