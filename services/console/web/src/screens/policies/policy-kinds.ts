import { PolicyKind, PolicyKindSchema } from '@supplier/proto/submission/v1/policies';
import { enumFlag } from '../../format.ts';

export const POLICY_KINDS = [PolicyKind.DECISION, PolicyKind.PRE_UNDERWRITING] as const;

/** Returns the name of a kind in URLs and `sss`: "pre_underwriting". */
export const kindName = (kind: PolicyKind): string => enumFlag(PolicyKindSchema, kind);

/** Returns the kind that a URL names, or UNSPECIFIED for anything else. */
export const kindNamed = (name: string): PolicyKind =>
  POLICY_KINDS.find((kind) => kindName(kind) === name) ?? PolicyKind.UNSPECIFIED;
