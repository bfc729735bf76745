import { PolicyKind, PolicyKindSchema } from '@supplier/proto/submission/v1/policies';
import { flagOf } from '../words.ts';

export const POLICY_KINDS = [PolicyKind.DECISION, PolicyKind.PRE_UNDERWRITING] as const;

/** As an address and `sss` name a kind: "pre_underwriting". */
export const kindName = (kind: PolicyKind): string => flagOf(PolicyKindSchema, kind);

/** The kind that an address names; none for anything else. */
export const kindNamed = (name: string): PolicyKind =>
  POLICY_KINDS.find((kind) => kindName(kind) === name) ?? PolicyKind.UNSPECIFIED;
