import type { MessageInitShape } from '@bufbuild/protobuf';
import { invalid, RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import { toTimestamp } from '@supplier/lib/text/time';
import type { PolicyKind, PolicySchema } from '@supplier/proto/submission/v1/policies';
import type { PolicyViolation } from '../model/policy/policy.ts';
import { type KnownPolicyKind, knownKind } from '../model/policy/policy-kinds.ts';
import type { PolicyRow } from '../store/policies.sql.ts';

export function policyMessage(row: PolicyRow): MessageInitShape<typeof PolicySchema> {
  return {
    kind: row.kind,
    version: row.version,
    sha256: row.sha256,
    author: row.author,
    note: row.note,
    storedAt: toTimestamp(row.created_at),
    active: row.is_active,
    activatedBy: row.activated_by ?? '',
    ...(row.activated_at && { activatedAt: toTimestamp(row.activated_at) }),
  };
}

/** Returns the kind named by a request. Throws VALIDATION_ERROR for an unknown one. */
export function requestedKind(kind: PolicyKind): KnownPolicyKind {
  const known = knownKind(kind);
  if (known === undefined) throw invalid('kind', 'must be decision or pre_underwriting');
  return known;
}

/** Returns VALIDATION_ERROR with all violations of a text. */
export function unusablePolicy(violations: readonly PolicyViolation[]) {
  return refuse(RefusalCode.VALIDATION_ERROR, 'The policy is invalid.', {
    violations: violations.map(({ place, message }) => ({ path: 'text', message: `${place}: ${message}` })),
  });
}

/** Returns WRONG_STATE for a version that this release cannot use. */
export function unusableVersion() {
  return refuse(
    RefusalCode.WRONG_STATE,
    'This release cannot use that version. Check its text with ValidatePolicy.',
  );
}

export function policyNotFound() {
  return refuse(RefusalCode.NOT_FOUND, 'There is no such policy version.');
}
