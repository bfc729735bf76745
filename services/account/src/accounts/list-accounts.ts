import { create } from '@bufbuild/protobuf';
import { requestedPage } from '@supplier/lib/rpc/page-token';
import { type AccountId, parseId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import {
  AccountState,
  ListAccountsRequestSchema,
  ListAccountsResponseSchema,
} from '@supplier/proto/account/v1/account';
import type { Context, Rpcs } from '../context.ts';
import { nameOf, STATES } from '../model/enum-mapping.ts';
import { listAccounts as listMatching } from './list-accounts.sql.ts';

/**
 * Accounts by name and state, latest created first, page by page. Throws VALIDATION_ERROR for a page token of another
 * query. Implements docs/contract.md, section 11.
 */
export function listAccounts({ pool }: Pick<Context, 'pool'>): Rpcs['listAccounts'] {
  return async (request) => {
    const page = requestedPage(ListAccountsRequestSchema, request, parseId<AccountId>);
    const { nameContains, state } = request;
    const filter = {
      nameContains,
      state: state === AccountState.UNSPECIFIED ? undefined : nameOf(STATES, state),
    };
    const { rows, next } = await listMatching(pool, filter, page.after, page.size);
    return create(ListAccountsResponseSchema, {
      accounts: rows.map((row) => ({
        accountId: row.id,
        name: row.name,
        state: STATES[row.state],
        createdAt: toTimestamp(row.created_at),
      })),
      nextPageToken: page.tokenAfter(next),
    });
  };
}
