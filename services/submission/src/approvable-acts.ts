import { approvableAct } from '@supplier/lib/approvals';
import { PolicyService } from '@supplier/proto/submission/v1/policies';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { knownKind, policyTarget } from './domain/policy-kinds.ts';

/** A policy decides every lead. */
export const ACTIVATE_POLICY = approvableAct(PolicyService.method.activatePolicy, {
  target({ kind, version }) {
    const known = knownKind(kind);
    return known === undefined ? version : policyTarget(known, version);
  },
});

/** What is erased is gone for good. The request names submissions, and nobody. */
export const REQUEST_ERASURE = approvableAct(PrivacyService.method.requestErasure, {
  target: ({ submissionIds }) => submissionIds[0] ?? '',
});

/** Every act of this service that two people take part in. */
export const APPROVABLE_ACTS = [ACTIVATE_POLICY, REQUEST_ERASURE];
