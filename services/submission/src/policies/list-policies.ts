import { requestedPage } from '@supplier/lib/rpc/page-token';
import { ListPoliciesRequestSchema, PolicyKind } from '@supplier/proto/submission/v1/policies';
import type { Context, PolicyRpcs } from '../context.ts';
import { ALL_KINDS } from '../model/policy/policy-kinds.ts';
import { listPolicies as listStored } from './policies.sql.ts';
import { policyMessage } from './policy-message.ts';
import { requestedKind } from './requested-policy.ts';

/** Stored versions, newest first, page by page. Implements docs/contract.md, section 5. */
export function listPolicies({ pool }: Pick<Context, 'pool'>): PolicyRpcs['listPolicies'] {
  return async (request) => {
    const kinds = request.kind === PolicyKind.UNSPECIFIED ? ALL_KINDS : [requestedKind(request.kind)];
    const page = requestedPage(ListPoliciesRequestSchema, request, parseSequence);
    // One more than requested shows whether there is another page.
    const rows = await listStored(pool, kinds, page.after, page.size + 1);
    const last = rows.length > page.size ? rows[page.size - 1] : undefined;
    return {
      policies: rows.slice(0, page.size).map(policyMessage),
      nextPageToken: page.tokenAfter(last?.sequence),
    };
  };
}

const parseSequence = (text: string) => (/^\d{1,18}$/.test(text) ? BigInt(text) : undefined);
