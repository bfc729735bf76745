import { inTransaction } from '@supplier/lib/data/postgres';
import { appendAudit, auditedRpc, serviceActor } from '@supplier/lib/governance/audit';
import type { Logger } from '@supplier/lib/runtime/log';
import type { Clock } from '@supplier/lib/text/time';
import { PolicyService } from '@supplier/proto/submission/v1/policies';
import type pg from 'pg';
import { type KnownPolicyKind, POLICY_KINDS, policyTarget } from '../model/policy/policy-kinds.ts';
import {
  activePolicies,
  findPolicyText,
  insertActivation,
  insertPolicy,
  lockPolicies,
  sha256Of,
} from '../store/policies.sql.ts';

const BY_RELEASE = serviceActor('submission');

/**
 * Stores the version of a release, once, and activates it unless a person has activated another. A version that is
 * already stored, by an earlier start or by staff, is left unchanged.
 */
export async function enterRelease(
  pool: pg.Pool,
  clock: Clock,
  log: Logger,
  { kind, text }: { readonly kind: KnownPolicyKind; readonly text: string },
): Promise<void> {
  const { version } = POLICY_KINDS[kind].read(text);
  const known = await findPolicyText(pool, kind, version);
  if (known) return tellOfOtherText(known.text);
  await inTransaction(pool, async (tx) => {
    lockPolicies(tx, kind);
    const meanwhile = await findPolicyText(tx, kind, version);
    if (meanwhile) return tellOfOtherText(meanwhile.text);
    const [active] = await activePolicies(tx, [kind]);
    const entered = { kind, version, text, note: 'Part of a release.', at: clock.now(), by: BY_RELEASE };
    const audited = {
      ...BY_RELEASE,
      at: entered.at,
      target: policyTarget(kind, version),
      purpose: entered.note,
    };
    await insertPolicy(tx, entered);
    await appendAudit(tx, {
      ...audited,
      action: auditedRpc(PolicyService.method.storePolicy),
      after: { sha256: sha256Of(text) },
    });
    if (active && !(active.actor === BY_RELEASE.actor && active.issuer === BY_RELEASE.issuer)) return;
    await insertActivation(tx, entered);
    const change = { before: { version: active?.version ?? null }, after: { version } };
    await appendAudit(tx, { ...audited, action: auditedRpc(PolicyService.method.activatePolicy), ...change });
  });

  function tellOfOtherText(stored: string): void {
    if (stored === text) return;
    log.error(
      { resource: policyTarget(kind, version) },
      'policy of the release not stored: its version exists with a different text',
    );
  }
}
