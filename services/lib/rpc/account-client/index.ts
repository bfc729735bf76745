import { type Client, Code, ConnectError } from '@connectrpc/connect';
import { AccountService } from '@supplier/proto/account/v1/account';
import type { AccountId } from '../../text/ids/index.ts';
import { RefusalCode, refusalOf } from '../refusal/index.ts';
import { callOptions, createRpcClient, type RpcAccess } from '../rpc-client/index.ts';

/** Returns queries to the account service at `baseUrl`. Implements docs/contract.md, section 11. */
export function accountClient(baseUrl: string, access: RpcAccess): AccountQueries {
  return accountQueries(createRpcClient(AccountService, { baseUrl, audience: 'account', ...access }));
}

export function accountQueries(accounts: Client<typeof AccountService>) {
  return {
    /** Returns whether the account exists, suspended or not. Throws UNAVAILABLE when that is unknown. */
    async accountExists(accountId: AccountId): Promise<boolean> {
      try {
        await accounts.checkAccount({ accountId }, callOptions());
        return true;
      } catch (error) {
        if (refusalOf(error)?.code === RefusalCode.NOT_FOUND) return false;
        const message = 'The account service is unavailable.';
        throw new ConnectError(message, Code.Unavailable, undefined, undefined, error);
      }
    },
  };
}

export type AccountQueries = Readonly<ReturnType<typeof accountQueries>>;
