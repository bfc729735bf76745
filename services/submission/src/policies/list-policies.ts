import { requestedPage } from '@supplier/lib/rpc/page-token';
import { invalid } from '@supplier/lib/rpc/refusal';
import { toDate, toTimestamp } from '@supplier/lib/text/time';
import { ListPoliciesRequestSchema, PolicyKind } from '@supplier/proto/submission/v1/policies';
import type { Context, PolicyRpcs } from '../context.ts';
import { ALL_KINDS, POLICY_KINDS } from '../model/policy/policy-kinds.ts';
import {
  activePolicies,
  findPolicy,
  findPolicyText,
  listPolicies as listStored,
} from '../store/policies.sql.ts';
import { isComplete, ruleEffect } from './decided-submissions.sql.ts';
import { policyMessage, policyNotFound, requestedKind } from './policy-message.ts';

/** Lists stored versions, newest first, in pages. Implements docs/contract.md, section 5. */
export function listPolicies({ pool }: Pick<Context, 'pool'>): PolicyRpcs['listPolicies'] {
  return async (request) => {
    const kinds = request.kind === PolicyKind.UNSPECIFIED ? ALL_KINDS : [requestedKind(request.kind)];
    const page = requestedPage(ListPoliciesRequestSchema, request, parseSequence);
    // One more than requested, to detect another page.
    const rows = await listStored(pool, kinds, page.after, page.size + 1);
    const last = rows.length > page.size ? rows[page.size - 1] : undefined;
    return {
      policies: rows.slice(0, page.size).map(policyMessage),
      nextPageToken: page.tokenAfter(last?.sequence),
    };
  };
}

const parseSequence = (text: string) => (/^\d{1,18}$/.test(text) ? BigInt(text) : undefined);

/**
 * Returns a version with its text and rules; the active one by default. The rules are those stated by the text, whether
 * or not this release can use it. NOT_FOUND. Implements docs/contract.md, section 5.
 */
export function getPolicy({ pool }: Pick<Context, 'pool'>): PolicyRpcs['getPolicy'] {
  return async (request) => {
    const kind = requestedKind(request.kind);
    const version = request.version || (await activePolicies(pool, [kind]))[0]?.version;
    if (version === undefined) throw policyNotFound();
    const [row, stored] = await Promise.all([
      findPolicy(pool, kind, version),
      findPolicyText(pool, kind, version),
    ]);
    if (!row || !stored) throw policyNotFound();
    const rules = POLICY_KINDS[kind].statedRules(stored.text).map((rule) => ({ ...rule }));
    return { policy: policyMessage(row), text: stored.text, rules };
  };
}

/** Counts the decisions of a rule among the latest 5,000 submissions, or Applications, by policy version. */
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
