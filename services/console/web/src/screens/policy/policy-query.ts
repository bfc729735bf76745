import { type PolicyKind, PolicyService } from '@supplier/proto/submission/v1/policies';
import { queryOf } from '../../calls.ts';
import { figuresQuery } from '../../figures-query.ts';

/** Loads a version of a policy, or the active one. */
export const policyQuery = (kind: PolicyKind, version = '') => ({
  ...figuresQuery,
  ...queryOf(PolicyService.method.getPolicy, { kind, version }),
  enabled: kind !== 0,
});
