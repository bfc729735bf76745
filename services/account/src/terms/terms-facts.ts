import { spelled } from '@supplier/lib/governance/approvals';
import { formatTimestamp } from '@supplier/lib/text/time';
import { CapsSchema, ThresholdsSchema } from '@supplier/proto/common/v1/principal';
import type { Loosening } from '../model/loosened.ts';
import type { ScheduledTerms } from '../model/scheduled-terms.ts';

/** Returns each loosened name, with the time from which it is loosened unless that is now. */
export const reasonsOf = (loosenings: readonly Loosening[], now: Date, unless = '') =>
  loosenings.flatMap(({ from, names }) =>
    names.map((name) => (from > now ? `${name} from ${formatTimestamp(from)}${unless}` : name)),
  );

export const spelledTerms = ({ thresholds, caps }: Pick<ScheduledTerms, 'thresholds' | 'caps'>) => ({
  ...spelled(ThresholdsSchema, thresholds, 'thresholds.'),
  ...spelled(CapsSchema, caps, 'caps.'),
});

/** Returns the scheduled terms, each labelled with the time it takes effect. */
export const waitingFacts = (waiting: readonly ScheduledTerms[]) =>
  Object.fromEntries(
    waiting.flatMap((one) =>
      Object.entries(spelledTerms(one)).map(([name, value]) => [
        `from ${formatTimestamp(one.effectiveFrom)}: ${name}`,
        value,
      ]),
    ),
  );
