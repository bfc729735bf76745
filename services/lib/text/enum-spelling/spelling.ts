import type { DescEnum, DescEnumValue } from '@bufbuild/protobuf';
import {
  AnnualTurnoverRangeSchema,
  BusinessSectorSchema,
  BusinessStructureSchema,
  FundingPurposeSchema,
  FundingTimeframeSchema,
  PreferredContactMethodSchema,
  TradingDurationSchema,
} from '@supplier/proto/common/v1/enquiry';
import { ScopeSchema } from '@supplier/proto/common/v1/principal';

/** Enums whose public values have hyphens; those of all others have underscores. */
const HYPHENATED = new Set(
  [
    AnnualTurnoverRangeSchema,
    BusinessSectorSchema,
    BusinessStructureSchema,
    FundingPurposeSchema,
    FundingTimeframeSchema,
    PreferredContactMethodSchema,
    TradingDurationSchema,
  ].map(({ typeName }) => typeName),
);

/**
 * An enum's value as users write and read it everywhere, which is as the public API spells it: `NOT_BILLABLE` of a billing
 * status is `not_billable`, `2-5-years` has hyphens there, `create:basic` is a scope. Nothing stated is `unspecified`.
 */
export function spellEnumValue({ name, parent }: DescEnumValue): string {
  const words = name.slice(constantPrefixOf(parent).length).toLowerCase();
  if (parent.typeName === ScopeSchema.typeName) return words.replaceAll('_', ':');
  return HYPHENATED.has(parent.typeName) ? words.replaceAll('_', '-') : words;
}

/** What the constants of an enum begin with: `BILLING_STATUS_`. */
export const constantPrefixOf = ({ values }: DescEnum): string =>
  (values[0]?.name ?? '').replace(/UNSPECIFIED$/, '');
