import { invalid } from '@supplier/lib/rpc/refusal';
import { toDate, toTimestamp } from '@supplier/lib/text/time';
import type { Context, PolicyRpcs } from '../context.ts';
import { isComplete, ruleEffect } from './decided-submissions.sql.ts';

/** How many of the latest 5,000 submissions, or Applications, a rule has decided, by version of the policy. */
export function getRuleEffect({ pool }: Pick<Context, 'pool'>): PolicyRpcs['getRuleEffect'] {
  return async ({ rule, preUnderwriting, since }) => {
    if (!since) throw invalid('since', 'must be present');
    const effect = await ruleEffect(pool, { rule, isPreUnderwriting: preUnderwriting, since: toDate(since) });
    const decided = effect.versions.reduce((sum, version) => sum + version.decided, 0);
    return {
      decided: BigInt(decided),
      lookedAt: BigInt(effect.lookedAt),
      complete: isComplete(effect),
      ...(effect.lookedBackTo && { lookedBackTo: toTimestamp(effect.lookedBackTo) }),
      versions: effect.versions.map(({ version, decided: count }) => ({ version, decided: BigInt(count) })),
    };
  };
}
