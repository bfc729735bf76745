import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Account } from '@supplier/proto/account/v1/account';
import {
  type ScheduledTerms,
  ScheduledTermsSchema,
  ScheduledTermsState,
} from '@supplier/proto/account/v1/scheduled_terms';
import { TermsSchema } from '@supplier/proto/common/v1/principal';
import { jsonOf, type Setting, textOf } from './settings.ts';

export const isScheduled = ({ state }: ScheduledTerms) => state === ScheduledTermsState.WAITING;

type TextOf = (setting: Setting) => string;

/** The thresholds and caps of one version, as texts. */
export interface Version {
  readonly terms: ScheduledTerms;
  /** Undefined for the first version. */
  readonly before: TextOf | undefined;
  readonly after: TextOf;
}

/** Returns the versions in the order in which they take effect. The first scheduled one replaces the current terms. */
export function versionsOf({ terms: current }: Account, listed: readonly ScheduledTerms[]): Version[] {
  const textsOf =
    (json: ReturnType<typeof jsonOf>): TextOf =>
    (setting) =>
      textOf(setting, json);
  const currentTexts = current ? textsOf(jsonOf(TermsSchema, current)) : undefined;
  let effective: TextOf | undefined;
  let scheduled = currentTexts;
  return listed
    .toSorted((one, other) => millisecondsOf(one) - millisecondsOf(other))
    .map((terms) => {
      const after = textsOf(jsonOf(ScheduledTermsSchema, terms));
      const before = isScheduled(terms) ? scheduled : effective;
      if (isScheduled(terms)) scheduled = after;
      if (terms.state === ScheduledTermsState.EFFECTIVE) effective = after;
      return { terms, before, after };
    });
}

const millisecondsOf = ({ effectiveFrom }: ScheduledTerms): number =>
  effectiveFrom ? timestampDate(effectiveFrom).getTime() : 0;
