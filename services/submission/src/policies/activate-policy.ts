import { inTransaction } from '@supplier/lib/data/postgres';
import { actorOf, auditCall } from '@supplier/lib/governance/audit';
import { invalid } from '@supplier/lib/rpc/refusal';
import type { Context, PolicyRpcs } from '../context.ts';
import { policyTarget } from '../model/policy/policy-kinds.ts';
import {
  activePolicies,
  findPolicy,
  findPolicyText,
  insertActivation,
  lockPolicies,
} from '../store/policies.sql.ts';
import { ACTIVATE_POLICY } from './approve-activation.ts';
import type { PolicyChecks } from './policy-checks.ts';
import { policyMessage, policyNotFound, requestedKind, unusableVersion } from './policy-message.ts';

const MIN_PURPOSE = 3;

/**
 * Activates a stored version; returns the active one unchanged if it is the same version. This process uses it
 * immediately, the others within five seconds. NOT_FOUND; WRONG_STATE for a version that this release cannot use and,
 * if SSS_FOUR_EYES is required, without a matching approval: of the stored text, replacing the activation that was
 * active when approval was requested. Audited with its purpose. Implements docs/contract.md, section 5.
 */
export function activatePolicy(context: Context, policyChecks: PolicyChecks): PolicyRpcs['activatePolicy'] {
  const { pool, clock, policies, log, approvals } = context;
  return async (request, call) => {
    const { kind: requested, version, purpose } = request;
    const kind = requestedKind(requested);
    const why = purpose.trim();
    if ([...why].length < MIN_PURPOSE) throw invalid('purpose', `must be at least ${MIN_PURPOSE} characters`);
    // A stored text never changes, so it is checked before taking locks.
    const stored = await findPolicyText(pool, kind, version);
    if (!stored) throw policyNotFound();
    const read = await policyChecks.check(kind, stored.text);
    if ('violations' in read) throw unusableVersion();
    const activated = await inTransaction(pool, async (tx) => {
      lockPolicies(tx, kind);
      const [active] = await activePolicies(tx, [kind]);
      if (active?.version !== version) {
        const approvalId = await approvals.take(tx, ACTIVATE_POLICY, request, call);
        const at = clock.now();
        await insertActivation(tx, { kind, version, at, by: actorOf(call) });
        await auditCall(tx, call, {
          at,
          target: policyTarget(kind, version),
          before: { version: active?.version ?? null },
          after: { version, ...(approvalId && { approvalId }) },
          purpose: why,
        });
      }
      return findPolicy(tx, kind, version);
    });
    if (!activated) throw policyNotFound();
    // The activation is already committed if this fails, and the next refresh follows within two seconds.
    await policies.refresh(pool, log).catch((err) => log.warn({ err }, 'policies not read'));
    return policyMessage(activated);
  };
}
